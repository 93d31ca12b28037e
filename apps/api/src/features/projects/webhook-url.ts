import type { ProblemDetail } from '@rolecall/contract'
import { isWebhookUrl } from '#chat/discord/webhook/webhook-url'
import { openOrUndefined, seal } from '#platform/crypto/seal'
import { ApiError } from '#platform/http/api-error'
import type { Config } from '../../config.ts'

/**
 * The Discord webhook address of a project as stored. The address is encrypted, because it is a credential. Its origin
 * is in plain text, for display. Both are null if the project has none.
 */
export interface StoredWebhookUrl {
  readonly webhookUrlSealed: Uint8Array | null
  readonly webhookUrlHost: string | null
}

export const noWebhookUrl: StoredWebhookUrl = { webhookUrlSealed: null, webhookUrlHost: null }

/** Returns the problems of the webhook address in a request. Returns none if the request does not contain one. */
export function complaintsAboutWebhookUrl(
  config: Pick<Config, 'chatApiUrl'>,
  text: string | null | undefined,
): ProblemDetail[] {
  if (typeof text !== 'string' || isWebhookUrl(text, config)) return []
  const message = 'must be a Discord webhook: https://discord.com/api/webhooks/<id>/<token>'
  return [{ path: '/webhookUrl', message, code: 'WEBHOOK_URL' }]
}

/**
 * Encrypts a valid webhook address for the database.
 *
 * @throws ENCRYPTION_KEY_MISSING
 */
export function sealWebhookUrl(config: Config, projectId: string, text: string): StoredWebhookUrl {
  if (!config.outboundKey) throw keyMissing()
  return { webhookUrlSealed: seal(config.outboundKey, projectId, text), webhookUrlHost: new URL(text).origin }
}

/**
 * Returns true if the stored address is `text`. Null means no address. An address that cannot be decrypted equals none.
 */
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
 * Checks that the stored address can be decrypted.
 *
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
 * Decrypts the address, before a notice is posted to it. Returns a problem if the encryption key has changed, or if the
 * address is no longer permitted.
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

/** Masks a stored address for display, because the address is a credential. Null if there is none. */
export const maskedWebhookUrl = ({ webhookUrlHost }: StoredWebhookUrl) =>
  webhookUrlHost && `${webhookUrlHost}/…`
