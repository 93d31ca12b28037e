import { health } from '@rolecall/contract'
import { within } from '#platform/async'
import { Answer } from '#platform/http/answer'
import type { Lifecycle } from '#platform/http/lifecycle'
import type { Router } from '#platform/http/router'
import type { Deps } from '../../deps.ts'
import type { Callers } from '../callers.ts'

/** A part that does not answer within this is down. */
const deadlineMs = 1_500

export function healthRoutes(
  { route }: Router<Callers>,
  { db, cache }: Pick<Deps, 'db' | 'cache'>,
  { isClosing }: Pick<Lifecycle, 'isClosing'>,
) {
  route(health.health, async () => {
    const [database, cached] = await Promise.all([isUp(db.ping()), isUp(cache.ping())])
    const body = {
      status: database && cached ? ('ok' as const) : ('degraded' as const),
      uptime: process.uptime(),
      database: upOrDown(database),
      cache: upOrDown(cached),
    }
    return body.status === 'ok' ? body : new Answer(503, body, { 'retry-after': '2' })
  })
  route(health.liveness, () => ({ status: 'ok' as const }))
  route(health.readiness, async () => {
    const reason = isClosing() ? 'shutting down' : (await isUp(db.ping())) ? undefined : 'database down'
    if (!reason) return { status: 'ready' as const }
    return new Answer(503, { status: 'not_ready', reason }, { 'retry-after': '2' })
  })
}

const upOrDown = (isUp: boolean) => (isUp ? ('up' as const) : ('down' as const))

const isUp = (answer: Promise<boolean>) => within(answer, deadlineMs, false)
