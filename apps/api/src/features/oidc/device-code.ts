import Provider, { type AdapterPayload, errors } from 'oidc-provider'
import { deriveToken } from '#platform/crypto/tokens'
import type { Queryable } from '#platform/db/database'
import { notePoll, type RecordRow } from './records-store.ts'

/**
 * The seconds between two polls of a device. It is the default of RFC 8628 §3.2, which clients without `interval` use.
 */
const pollIntervalSec = 5

/** Adds `interval` to the response that contains the device code, because the library omits it. */
export const announceInterval = (provider: Provider): Provider =>
  provider.on('device_authorization.success', (_ctx, body) => {
    body['interval'] = pollIntervalSec
  })

/**
 * Rejects a poll that arrives before the interval has passed, while the device code is pending. The outcome of an
 * approved, declined, or expired code is returned at once, because `slow_down` is a variant of `authorization_pending`
 * (RFC 8628 §3.5). A rejected poll does not restart the interval, so a client that polls too fast still makes progress.
 *
 * @throws SlowDown
 */
export async function checkPollInterval(
  db: Queryable,
  { digest, isExpired }: RecordRow,
  { accountId, error, clientId }: AdapterPayload,
): Promise<void> {
  const isPending = accountId === undefined && error === undefined && !isExpired
  // A poll by another client is rejected later. It must not slow down the device.
  if (!isPending || clientId !== Provider.ctx?.oidc.client?.clientId) return
  if (!(await notePoll(db, digest, pollIntervalSec))) throw new errors.SlowDown()
}

/**
 * Returns the refresh token for the device code that the current request redeems. Returns undefined for any other
 * request.
 *
 * A device that did not receive the response can redeem its code again. Each redemption returns the same refresh token,
 * derived from the code. So the session has only one chain of refresh tokens, and reuse of a token is detected as
 * usual.
 */
export function refreshTokenOfDevice(key: string): string | undefined {
  const code = Provider.ctx?.oidc.entities.DeviceCode?.jti
  return code === undefined ? undefined : deriveToken('clientRefresh', key, code)
}
