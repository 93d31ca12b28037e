import { formats } from '@rolecall/contract'
import { isLoopbackHost } from '#platform/loopback'
import { parseUrl } from '#platform/parse-url'

const platformHosts = ['discord.com', 'canary.discord.com', 'ptb.discord.com', 'discordapp.com']
const path = /^\/api(?:\/v\d{1,2})?\/webhooks\/(\d{17,20})\/[\w-]{1,200}$/

/**
 * Checks that an address is a webhook of the chat platform, and nothing else: what the service posts to is
 * decided by whoever writes this field.
 */
export function isWebhookUrl(text: string, { chatApiUrl }: { readonly chatApiUrl: string }): boolean {
  const url = parseUrl(text)
  if (!url) return false
  const own = new URL(chatApiUrl)
  const isOwn = url.host === own.host
  if (!isOwn && !platformHosts.includes(url.host)) return false
  if (url.protocol !== 'https:' && !(isOwn && url.protocol === 'http:' && isLoopbackHost(url.hostname)))
    return false
  // The text itself must be the address: nothing that a parser would drop or turn.
  if (url.href !== text || url.search || url.hash || url.username || url.password) return false
  const [, id = ''] = path.exec(url.pathname) ?? []
  return formats.snowflake(id)
}
