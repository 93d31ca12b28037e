import type { ProblemDetail } from '@rolecall/contract'
import { formats } from '@rolecall/contract'
import { open, seal } from '#platform/crypto/seal'
import { ApiError } from '#platform/http/api-error'
import type { Config } from '../../config.ts'

const platformHosts = ['discord.com', 'canary.discord.com', 'ptb.discord.com', 'discordapp.com']
const shape =
  /^(https?:)\/\/([^\s/?#@\\]+)\/api(?:\/v[0-9]{1,2})?\/webhooks\/([0-9]{17,20})\/[A-Za-z0-9_-]{1,256}$/
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

type KeyConfig = Pick<Config, 'outboundKey'>

/**
 * What is wrong with a webhook address, or undefined. Only the platform's own hosts pass, byte for byte, so
 * nobody can make this service call anyone else.
 */
export function complaintAboutWebhookUrl(chatApiUrl: string, url: string): ProblemDetail | undefined {
  const [, scheme, host = '', id = ''] = shape.exec(url) ?? []
  if (scheme && formats.snowflake(id) && isPlatformHost(chatApiUrl, scheme, host)) return undefined
  return {
    path: '/webhookUrl',
    message: 'must be a webhook of the chat platform: https://discord.com/api/webhooks/<id>/<token>',
    code: 'WEBHOOK_URL',
  }
}

function isPlatformHost(chatApiUrl: string, scheme: string, host: string) {
  const api = new URL(chatApiUrl)
  if (scheme === 'https:' && platformHosts.includes(host)) return true
  return host === api.host && (scheme === 'https:' || loopback.test(api.hostname))
}

/** Scheme and host: what may be shown of a webhook address. */
export const originOf = (url: string) => url.slice(0, url.indexOf('/', 'https://'.length))

/** The address as records and audit entries show it. */
export const masked = (origin: string | null) => (origin === null ? null : `${origin}/****`)

/** Seals the webhook address of a project. */
export function sealWebhookUrl({ outboundKey }: KeyConfig, projectId: string, url: string): Buffer {
  if (outboundKey === undefined) throw new ApiError('OUTBOUND_KEY_MISSING')
  return seal(outboundKey, projectId, url)
}

/** The webhook address of a project in clear, or undefined when it was sealed under another key. */
export const openWebhookUrl = ({ outboundKey }: KeyConfig, projectId: string, sealed: Uint8Array) =>
  outboundKey === undefined ? undefined : open(outboundKey, projectId, sealed)
