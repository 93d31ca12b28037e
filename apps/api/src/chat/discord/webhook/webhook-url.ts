import { formats } from '@rolecall/contract'
import { isLoopbackHost } from '#platform/loopback'
import { parseUrl } from '#platform/parse-url'

const platformHosts = ['discord.com', 'canary.discord.com', 'ptb.discord.com', 'discordapp.com']
const path = /^\/api(?:\/v\d{1,2})?\/webhooks\/(\d{17,20})\/[\w-]{1,200}$/

/**
 * Returns true only for the address of a Discord webhook. The service posts to every address that passes this check, so
 * it must not accept any other.
 */
export function isWebhookUrl(text: string, { chatApiUrl }: { readonly chatApiUrl: string }): boolean {
  const url = parseUrl(text)
  if (!url) return false
  const own = new URL(chatApiUrl)
  const isOwn = url.host === own.host
  if (!isOwn && !platformHosts.includes(url.host)) return false
  if (url.protocol !== 'https:' && !(isOwn && url.protocol === 'http:' && isLoopbackHost(url.hostname)))
    return false
  // The text must be equal to the parsed URL. Otherwise, the parser has dropped or changed a part of it.
  if (url.href !== text || url.search || url.hash || url.username || url.password) return false
  const [, id = ''] = path.exec(url.pathname) ?? []
  return formats.snowflake(id)
}
