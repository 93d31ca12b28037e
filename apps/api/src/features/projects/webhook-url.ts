import type { ProblemDetail } from '@rolecall/contract'
import { isWebhookUrl } from '#chat/discord/webhook/webhook-url'
import { openOrUndefined, seal } from '#platform/crypto/seal'
import { ApiError } from '#platform/http/api-error'
import type { Config } from '../../config.ts'

/** A stored webhook address: sealed, with its host in clear text for display. */
export interface StoredWebhookUrl {
  readonly webhookUrlSealed: Uint8Array | null
  readonly webhookUrlHost: string | null
}

export const noWebhookUrl: StoredWebhookUrl = { webhookUrlSealed: null, webhookUrlHost: null }

/** Returns the problems with the address in a request, if it contains one. */
export function complaintsAboutWebhookUrl(
  config: Pick<Config, 'chatApiUrl'>,
  text: string | null | undefined,
): ProblemDetail[] {
  if (typeof text !== 'string' || isWebhookUrl(text, config)) return []
  const message = 'must be a Discord webhook: https://discord.com/api/webhooks/<id>/<token>'
  return [{ path: '/webhookUrl', message, code: 'WEBHOOK_URL' }]
}

/**
 * Seals a valid address.
 * @throws ENCRYPTION_KEY_MISSING
 */
export function sealWebhookUrl(config: Config, projectId: string, text: string): StoredWebhookUrl {
  if (!config.outboundKey) throw keyMissing()
  return { webhookUrlSealed: seal(config.outboundKey, projectId, text), webhookUrlHost: new URL(text).origin }
}

/** Returns true if the stored address is this one. An unreadable address equals no address. */
export function isStoredWebhookUrl(
  config: Config,
  projectId: string,
  stored: StoredWebhookUrl,
  text: string | null,
) {
  if (text === null || stored.webhookUrlSealed === null)
    return text === null && stored.webhookUrlSealed === null
  return openWebhookUrl(config, projectId, stored.webhookUrlSealed) === text
}

/**
 * Checks that the stored address can be read.
 * @throws ENCRYPTION_KEY_MISSING, SECRET_UNREADABLE
 */
export function checkReadable(
  config: Pick<Config, 'outboundKey'>,
  projectId: string,
  { webhookUrlSealed }: StoredWebhookUrl,
) {
  if (webhookUrlSealed === null) return
  if (!config.outboundKey) throw keyMissing()
  if (openWebhookUrl(config, projectId, webhookUrlSealed) === undefined) {
    throw new ApiError('SECRET_UNREADABLE')
  }
}

const missing = 'The outbound-webhook encryption key is not configured.'
const keyMissing = () => new ApiError('ENCRYPTION_KEY_MISSING', { detail: missing })

const openWebhookUrl = (
  { outboundKey }: Pick<Config, 'outboundKey'>,
  projectId: string,
  sealed: Uint8Array,
) => (outboundKey ? openOrUndefined(outboundKey, projectId, sealed) : undefined)

/**
 * Returns the address to post to, after another check: the key or the hosts of the platform may have changed since it
 * was stored.
 */
export function readWebhookUrl(
  config: Config,
  projectId: string,
  sealed: Uint8Array,
): { url: string } | { problem: string } {
  if (!config.outboundKey) return { problem: missing }
  const url = openWebhookUrl(config, projectId, sealed)
  if (url === undefined) return { problem: 'The address cannot be read with this key.' }
  return isWebhookUrl(url, config) ? { url } : { problem: 'The address is not a webhook of Discord.' }
}

/** Masks a stored address for display, because it is itself a credential. */
export const maskedWebhookUrl = ({ webhookUrlHost }: StoredWebhookUrl) =>
  webhookUrlHost && `${webhookUrlHost}/…`
