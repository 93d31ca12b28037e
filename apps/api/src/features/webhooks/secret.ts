import { randomBytes } from 'node:crypto'
import { open, SecretUnreadable, seal } from '#platform/crypto/seal'
import { ApiError } from '#platform/http/api-error'
import type { Config } from '../../config.ts'

/**
 * Makes the signing secret of a webhook, and what is stored of it.
 * @throws ENCRYPTION_KEY_MISSING
 */
export function mintSecret({ inboundKey }: Config, webhookId: string) {
  if (!inboundKey) {
    throw new ApiError('ENCRYPTION_KEY_MISSING', {
      detail: 'The inbound-webhook encryption key is not configured.',
    })
  }
  const secret = `whsec_${randomBytes(32).toString('base64url')}`
  return { secret, secretSealed: seal(inboundKey, webhookId, secret) }
}

/** The signing secret, or undefined when this service cannot read it. */
export function readSecret(
  { inboundKey }: Config,
  webhookId: string,
  sealed: Uint8Array,
): string | undefined {
  if (!inboundKey) return undefined
  try {
    return open(inboundKey, webhookId, sealed)
  } catch (error) {
    if (error instanceof SecretUnreadable) return undefined
    throw error
  }
}
