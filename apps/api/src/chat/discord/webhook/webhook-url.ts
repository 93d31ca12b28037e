import { formats } from '@rolecall/contract'
import { isLoopbackHost } from '#platform/loopback'
import { parseUrl } from '#platform/parse-url'

const platformHosts = ['discord.com', 'canary.discord.com', 'ptb.discord.com', 'discordapp.com']
const path = /^\/api(?:\/v\d{1,2})?\/webhooks\/(\d{17,20})\/[\w-]{1,200}$/

/**
 * Returns true only for a webhook of the chat platform. The service posts to any address that this check accepts, so it
 * must not accept others.
 */
export function isWebhookUrl(text: string, { chatApiUrl }: { readonly chatApiUrl: string }): boolean {
  const url = parseUrl(text)
  if (!url) return false
  const own = new URL(chatApiUrl)
  const isOwn = url.host === own.host
  if (!isOwn && !platformHosts.includes(url.host)) return false
  if (url.protocol !== 'https:' && !(isOwn && url.protocol === 'http:' && isLoopbackHost(url.hostname)))
    return false
  // The text must equal the parsed URL, so that the parser neither drops nor rewrites any part of it.
  if (url.href !== text || url.search || url.hash || url.username || url.password) return false
  const [, id = ''] = path.exec(url.pathname) ?? []
  return formats.snowflake(id)
}
