import { within } from '#platform/async'
import { uuidv7 } from '#platform/crypto/uuid'
import { DatabaseUnavailable } from '#platform/db/database'
import { deliveryBackOffMs } from '#platform/outbound/delivery-back-off'
import type { Deps } from '../../deps.ts'
import { createDeliverySlots } from './delivery-slots.ts'
import { hasDueLogouts, type LogoutRow, settleDelivered, settleLater, takeLogouts } from './logouts-store.ts'
import type { OidcCounts } from './oidc-deps.ts'
import { type SigningKeys, signJwt } from './signing-keys.ts'

type BackChannelDeps = Pick<Deps, 'db' | 'config' | 'audit' | 'log' | 'post'> & {
  readonly keys: () => Promise<SigningKeys>
  readonly counts: Pick<OidcCounts, 'logouts'>
}

/** Between two looks for what ended, here or on another instance: a client has to hear of it within a second. */
const everyMs = 300
/** As long as clients may take to look at a token; a new one is signed for each try. */
const tokenTtlSec = 120

/**
 * Tells clients of sessions that ended (OpenID Connect Back-Channel Logout 1.0). What is to be told is written by triggers
 * with the end itself, so it outlives this process; every instance takes of it what is due.
 */
export function createBackChannel(deps: BackChannelDeps) {
  const { db, log } = deps
  const running = new Set<Promise<void>>()
  const closing = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined

  const slots = createDeliverySlots()

  const look = async () => {
    while (timer && slots.free() > 0 && (await hasDueLogouts(db, slots.busy()))) {
      const taken = await takeLogouts(db, slots.free(), slots.busy())
      if (taken.length === 0) return
      for (const row of taken) {
        const giveBack = slots.take(row.host)
        const work = tell(deps, row, closing.signal)
          .catch((err: unknown) => {
            // Its claim ends by itself, and it is told again.
            if (!(err instanceof DatabaseUnavailable)) log.error({ err }, 'a logout could not be told')
          })
          .finally(() => {
            running.delete(work)
            giveBack()
          })
        running.add(work)
      }
    }
  }
  return {
    start() {
      timer ??= setInterval(() => {
        looking ??= look()
          .catch((err: unknown) => {
            if (!(err instanceof DatabaseUnavailable)) log.error({ err }, 'looking for logouts failed')
          })
          .finally(() => {
            looking = undefined
          })
      }, everyMs).unref()
    },
    /** Lets what is under way end, for a moment. */
    async close() {
      clearInterval(timer)
      timer = undefined
      await looking
      await within(Promise.all(running), 2_000, undefined)
      closing.abort()
    },
  }
}

async function tell(deps: BackChannelDeps, row: LogoutRow, signal: AbortSignal): Promise<void> {
  const { db, config } = deps
  const { logouts } = deps.counts
  const token = logoutToken(await deps.keys(), config.publicUrl, row)
  const { status, error, isAborted } = await deps.post(
    new URL(row.uri),
    {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams({ logout_token: token })),
    },
    signal,
  )
  // Whoever goes on after this process tells it again.
  if (isAborted) return
  const { id } = row
  if (status === 200 || status === 204) {
    logouts.count('delivered', '')
    await settleDelivered(db, { id, status, error: null })
    return
  }
  const problem = error ?? `It answered ${status}.`
  const isOver = await db.transaction(async (tx) => {
    if (!(await settleLater(tx, { id, status, error: problem }, deliveryBackOffMs(row.attempts))))
      return false
    await deps.audit.record(tx, {
      actionType: 'webhook',
      action: 'oidc-logout.give-up',
      severity: 'error',
      target: { type: 'project', id: row.projectId },
      summary: `A logout could not be told to a client for 24 hours. ${problem}`,
    })
    return true
  })
  logouts.count(isOver ? 'given_up' : 'refused', '')
}

/** One for each session: what the client keeps under this `sid` is over. */
const logoutToken = (
  keys: SigningKeys,
  issuer: string,
  { projectId, memberId, sessionId, nowSec }: LogoutRow,
) =>
  signJwt(keys, 'logout+jwt', {
    iss: issuer,
    aud: projectId,
    sub: memberId,
    sid: sessionId,
    iat: nowSec,
    exp: nowSec + tokenTtlSec,
    jti: uuidv7(),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  })
