import { health } from '@rolecall/contract'
import type { DatabaseState } from '#platform/db/database'
import { Answer } from '#platform/http/answer'
import type { Lifecycle } from '#platform/http/lifecycle'
import type { Router } from '#platform/http/router'
import { databaseState, isCacheUp } from '#platform/part-state'
import type { Callers } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'

/**
 * Registers the endpoints that report the state of this instance to load balancers and orchestrators: `health` with its
 * dependencies, `liveness` without any, and `readiness`, whether it can serve requests.
 */
export function healthRoutes(
  { route }: Router<Callers>,
  { db, cache }: Pick<Deps, 'db' | 'cache'>,
  { isClosing }: Pick<Lifecycle, 'isClosing'>,
) {
  route(health.health, async () => {
    const [database, cached] = await Promise.all([databaseState(db), isCacheUp(cache)])
    const body = {
      status: database === 'up' && cached ? ('ok' as const) : ('degraded' as const),
      uptime: process.uptime(),
      database: upOrDown(database !== 'down'),
      cache: upOrDown(cached),
      ...reasonOf(database),
    }
    return body.status === 'ok' ? body : new Answer(503, body, { 'retry-after': '2' })
  })
  route(health.liveness, () => ({ status: 'ok' as const }))
  route(health.readiness, async () => {
    const database = await databaseState(db)
    const reason = isClosing() ? 'shutting down' : database === 'down' ? 'database down' : undefined
    // An instance stays ready while the database accepts no writes, because sessions are validated without a write. All
    // instances have the same database, so otherwise all would be taken out of service.
    if (!reason) return { status: 'ready' as const, ...reasonOf(database) }
    return new Answer(503, { status: 'not_ready', reason }, { 'retry-after': '2' })
  })
}

const upOrDown = (isUp: boolean) => (isUp ? ('up' as const) : ('down' as const))

/** Returns the reason why a reachable database accepts no writes, or false if it accepts them. */
const reasonOf = (database: DatabaseState) =>
  (database === 'read-only' || database === 'full') && { reason: `database ${database}` }
