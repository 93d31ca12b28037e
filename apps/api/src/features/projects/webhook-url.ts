import type { ProblemDetail } from '@rolecall/contract'
import { isWebhookUrl } from '#chat/discord/webhook/webhook-url'
import { openOrUndefined, seal } from '#platform/crypto/seal'
import { ApiError } from '#platform/http/api-error'
import type { Config } from '../../config.ts'

/** A webhook address at rest: sealed, with its host in clear to be shown. */
export interface StoredWebhookUrl {
  readonly webhookUrlSealed: Uint8Array | null
  readonly webhookUrlHost: string | null
}

export const noWebhookUrl: StoredWebhookUrl = { webhookUrlSealed: null, webhookUrlHost: null }

/** What is wrong with the address that a request carries, if it carries one. */
export function complaintsAboutWebhookUrl(
  config: Pick<Config, 'chatApiUrl'>,
  text: string | null | undefined,
): ProblemDetail[] {
  if (typeof text !== 'string' || isWebhookUrl(text, config)) return []
  const message = 'must be a webhook of the chat platform: https://discord.com/api/webhooks/<id>/<token>'
  return [{ path: '/webhookUrl', message, code: 'WEBHOOK_URL' }]
}

/**
 * Seals an address that nothing is wrong with.
 * @throws ENCRYPTION_KEY_MISSING
 */
export function sealWebhookUrl(config: Config, projectId: string, text: string): StoredWebhookUrl {
  if (!config.outboundKey) throw keyMissing()
  return { webhookUrlSealed: seal(config.outboundKey, projectId, text), webhookUrlHost: new URL(text).origin }
}

/** True when the stored address is this one; an address that cannot be read is no address anyone has. */
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

/** The address to post to, checked once more: the key, or what hosts the platform has, may be others than then. */
export function readWebhookUrl(
  config: Config,
  projectId: string,
  sealed: Uint8Array,
): { url: string } | { problem: string } {
  if (!config.outboundKey) return { problem: missing }
  const url = openWebhookUrl(config, projectId, sealed)
  if (url === undefined) return { problem: 'The address cannot be read with this key.' }
  return isWebhookUrl(url, config) ? { url } : { problem: 'The address is none of the chat platform’s.' }
}

/** What is shown of a stored address: it is itself a credential. */
export const maskedWebhookUrl = ({ webhookUrlHost }: StoredWebhookUrl) =>
  webhookUrlHost && `${webhookUrlHost}/…`
