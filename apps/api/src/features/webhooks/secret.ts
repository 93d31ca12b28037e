import { randomBytes } from 'node:crypto'
import { openOrUndefined, seal } from '#platform/crypto/seal'
import { ApiError } from '#platform/http/api-error'
import type { Config } from '../../config.ts'

/**
 * Creates the signing secret of a webhook. Returns it in plain text for its owner, and encrypted for the database.
 *
 * @throws ENCRYPTION_KEY_MISSING
 */
export function mintSecret({ inboundKey }: Config, webhookId: string) {
  if (!inboundKey) throw keyMissing()
  const secret = `whsec_${randomBytes(32).toString('base64url')}`
  return { secret, secretSealed: seal(inboundKey, webhookId, secret) }
}

/** Stands for a secret that cannot be read. Submissions with a signature are then refused with this error. */
export interface Unreadable {
  readonly refusal: (projectId: string) => ApiError
}

/**
 * Decrypts the signing secret of a webhook. If the key is missing or wrong, returns the error instead of throwing it.
 */
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
