import { randomBytes } from 'node:crypto'
import { openOrUndefined, seal } from '#platform/crypto/seal'
import { ApiError } from '#platform/http/api-error'
import type { Config } from '../../config.ts'

/**
 * Creates the signing secret of a webhook, with its sealed form for storage.
 *
 * @throws ENCRYPTION_KEY_MISSING
 */
export function mintSecret({ inboundKey }: Config, webhookId: string) {
  if (!inboundKey) throw keyMissing()
  const secret = `whsec_${randomBytes(32).toString('base64url')}`
  return { secret, secretSealed: seal(inboundKey, webhookId, secret) }
}

/** The reason why a secret cannot be read. */
export interface Unreadable {
  readonly refusal: (projectId: string) => ApiError
}

/** Returns the signing secret, or the reason why this service cannot read it. */
export function readSecret(
  { inboundKey }: Config,
  webhookId: string,
  sealed: Uint8Array,
): string | Unreadable {
  if (!inboundKey) return { refusal: keyMissing }
  const secret = openOrUndefined(inboundKey, webhookId, sealed)
  return secret ?? { refusal: (projectId) => new ApiError('SECRET_UNREADABLE', { projectId }) }
}

const keyMissing = (projectId?: string) =>
  new ApiError('ENCRYPTION_KEY_MISSING', {
    detail: 'The inbound-webhook encryption key is not configured.',
    ...(projectId !== undefined && { projectId }),
  })
