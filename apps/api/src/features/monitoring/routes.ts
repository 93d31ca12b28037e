import { monitoring } from '@rolecall/contract'
import type { Router } from '#platform/http/router'
import type { Deps } from '../../deps.ts'
import type { Callers } from '../callers.ts'
import type { Heartbeat } from './heartbeat.ts'
import { readAuthFailures } from './read-auth-failures.ts'
import { createStats } from './read-stats.ts'
import { listReplacedKeys } from './read-store.ts'
import { readUsage } from './read-usage.ts'
import { systemHealth } from './system-health.ts'

export function monitoringRoutes({ route }: Router<Callers>, deps: Deps, heartbeat: Heartbeat) {
  const readStats = createStats(deps)
  route(monitoring.systemHealth, () => systemHealth(deps, heartbeat))
  route(monitoring.usage, ({ query }) => readUsage(deps, query))
  route(monitoring.authFailures, ({ query }) => readAuthFailures(deps, query))
  route(monitoring.replacedKeys, async () => {
    const rows = await listReplacedKeys(deps.db)
    const data = rows.map((row) => ({
      ...row,
      replacedAt: row.replacedAt.toISOString(),
      endsAt: row.endsAt?.toISOString() ?? null,
      lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    }))
    return { data, total: data.length }
  })
  route(monitoring.stats, () => readStats())
}
