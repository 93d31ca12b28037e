import type { AuditEvent } from '#audit/event'
import type { Attempt, DeliveryKind, Ending, Message } from '#deliveries/kind'
import { uuidv7 } from '#platform/crypto/uuid'
import type { Answered, Post } from '#platform/outbound/create-post'
import type { Deps } from '../../deps.ts'
import { loadSigningKeys, type SigningKeys, signJwt } from './signing-keys.ts'

/** The lifetime of a logout token in seconds. Each attempt signs a new token. */
const tokenTtlSec = 120

type LogoutKindDeps = Pick<Deps, 'db' | 'config'> & { readonly post: Post }

/**
 * Delivers logout tokens to clients (OpenID Connect Back-Channel Logout 1.0). A database trigger queues each token in
 * the transaction that ends the session. The queued message contains the address of the client at that time.
 */
export const createLogoutKind = (deps: LogoutKindDeps): DeliveryKind => ({
  name: 'logout',
  ordering: 'none',
  async open(projectId) {
    const keys = await loadSigningKeys(deps)
    return {
      async send(message, nowSec, signal) {
        const { uri, sessionId } = JSON.parse(message.data) as { uri: string; sessionId: string }
        const { publicUrl } = deps.config
        const token = await logoutToken(keys, message, {
          publicUrl,
          projectId,
          sessionId,
          nowSec: Math.floor(nowSec),
        })
        const content = {
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: String(new URLSearchParams({ logout_token: token })),
        }
        return toAttempt(await deps.post(new URL(uri), content, signal))
      },
      entryOf: (ending) => entryOf(projectId, ending),
    }
  },
})

/** Converts the client's response. Only status 200 or 204 is a success. */
function toAttempt({ status, error, isAborted }: Answered): Attempt {
  if (isAborted) return { outcome: 'aborted', status, error }
  if (status === 200 || status === 204) return { outcome: 'delivered', status, error: null }
  return { outcome: 'failed', status, error: error ?? `The client returned status ${status}.` }
}

/** The values of a logout token. */
interface LogoutOf {
  readonly publicUrl: string
  readonly projectId: string
  readonly sessionId: string
  readonly nowSec: number
}

/** Signs a logout token, which tells the client to end its sessions with this `sid`. */
const logoutToken = (
  keys: SigningKeys,
  { memberId }: Message,
  { publicUrl, projectId, sessionId, nowSec }: LogoutOf,
) =>
  signJwt(
    keys,
    {
      iss: publicUrl,
      aud: projectId,
      sub: memberId,
      sid: sessionId,
      iat: nowSec,
      exp: nowSec + tokenTtlSec,
      jti: uuidv7(),
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    },
    'logout+jwt',
  )

/** Builds the audit entry for tokens that were not delivered in time. */
const entryOf = (projectId: string, { count, error }: Ending): AuditEvent => ({
  actionType: 'webhook',
  action: 'oidc-logout.give-up',
  severity: 'error',
  target: { type: 'project', id: projectId },
  summary: `${count === 1 ? 'A logout token' : `${count} logout tokens`} could not be delivered to a client for 24 hours. ${error}`,
})
