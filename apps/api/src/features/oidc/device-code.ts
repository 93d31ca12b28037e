import Provider, { type AdapterPayload, errors } from 'oidc-provider'
import { deriveToken } from '#platform/crypto/tokens'
import type { Queryable } from '#platform/db/database'
import { notePoll, type RecordRow } from './records-store.ts'

/** The default of RFC 8628 §3.2. Clients that ignore `interval` use it too. */
const pollIntervalSec = 5

/** Adds `interval` to the response that contains the device code; the library omits it. */
export const announceInterval = (provider: Provider): Provider =>
  provider.on('device_authorization.success', (_ctx, body) => {
    body['interval'] = pollIntervalSec
  })

/**
 * Rejects a poll that arrives before the interval has passed.
 *
 * `slow_down` is a variant of `authorization_pending` (RFC 8628 §3.5), so an approved, declined, or expired code is answered
 * at once. Rejected polls do not count, so a client that never slows down still gets the outcome.
 *
 * @throws SlowDown
 */
export async function checkPollInterval(
  db: Queryable,
  { digest, isExpired }: RecordRow,
  { accountId, error, clientId }: AdapterPayload,
): Promise<void> {
  const isPending = accountId === undefined && error === undefined && !isExpired
  // A poll by another client is rejected later, and must not delay the device.
  if (!isPending || clientId !== Provider.ctx?.oidc.client?.clientId) return
  if (!(await notePoll(db, digest, pollIntervalSec))) throw new errors.SlowDown()
}

/**
 * Returns the refresh token of the device code that the current request redeems; undefined for any other request.
 *
 * Each redemption of a code yields the same refresh token. So the session has one chain of refresh tokens, no matter which
 * response the device keeps, and reuse by a second holder is detected as for any other refresh token.
 */
export function refreshTokenOfDevice(key: string): string | undefined {
  const code = Provider.ctx?.oidc.entities.DeviceCode?.jti
  return code === undefined ? undefined : deriveToken('clientRefresh', key, code)
}
