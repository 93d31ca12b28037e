import Provider, { type AdapterPayload, errors } from 'oidc-provider'
import { deriveToken } from '#platform/crypto/tokens'
import type { Queryable } from '#platform/db/database'
import { notePoll, type RecordRow } from './records-store.ts'

/** The default of RFC 8628 §3.2, which clients use that do not read `interval`. */
const pollIntervalSec = 5

/** Adds `interval` to the response that a device gets its code with; the library leaves it out. */
export const announceInterval = (provider: Provider): Provider =>
  provider.on('device_authorization.success', (_ctx, body) => {
    body['interval'] = pollIntervalSec
  })

/**
 * Refuses a poll that comes earlier than the interval allows.
 *
 * `slow_down` is a variant of `authorization_pending` (RFC 8628 §3.5), so an approved, declined, or expired code is answered
 * at once. Refused polls do not count: a client that never slows down still learns the outcome.
 *
 * @throws SlowDown
 */
export async function checkPollInterval(
  db: Queryable,
  { digest, isExpired }: RecordRow,
  { accountId, error, clientId }: AdapterPayload,
): Promise<void> {
  const isPending = accountId === undefined && error === undefined && !isExpired
  // Another client's poll is refused later, and must not hold up the device.
  if (!isPending || clientId !== Provider.ctx?.oidc.client?.clientId) return
  if (!(await notePoll(db, digest, pollIntervalSec))) throw new errors.SlowDown()
}

/**
 * Returns the refresh token of the device code that the current request redeems; undefined for any other request.
 *
 * Each redemption of one code yields the same refresh token. Whichever response the device keeps, the session has one
 * chain of refresh tokens, and a second holder is found as everywhere.
 */
export function refreshTokenOfDevice(key: string): string | undefined {
  const code = Provider.ctx?.oidc.entities.DeviceCode?.jti
  return code === undefined ? undefined : deriveToken('clientRefresh', key, code)
}
