import { attention, latency, monitoring, queues } from '@rolecall/contract'
import type { Router } from '#platform/http/router'
import type { Callers } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { type AttentionNeeds, listAttention } from './attention/list-attention.ts'
import type { Heartbeat } from './heartbeat.ts'
import { readQueues } from './queues-store.ts'
import { readAuthFailures } from './read-auth-failures.ts'
import { readLatency } from './read-latency.ts'
import { createStats } from './read-stats.ts'
import { listReplacedKeys } from './read-store.ts'
import { readUsage } from './read-usage.ts'
import { systemHealth } from './system-health.ts'

interface MonitoringNeeds {
  readonly heartbeat: Heartbeat
  readonly changedKeys: AttentionNeeds['changedKeys']
}

/**
 * Registers the endpoints of monitoring: health, problems, usage, latency, queues, rejected credentials, and
 * statistics.
 */
export function monitoringRoutes(
  { route }: Router<Callers>,
  deps: Deps,
  { heartbeat, changedKeys }: MonitoringNeeds,
) {
  const readStats = createStats(deps)
  route(monitoring.systemHealth, () => systemHealth(deps, heartbeat))
  route(attention.listAttention, () =>
    listAttention(deps, {
      health: () => systemHealth(deps, heartbeat),
      chain: deps.chainVerifier.state,
      changedKeys,
    }),
  )
  route(monitoring.usage, ({ query }) => readUsage(deps, query))
  route(latency.latency, ({ query }) => readLatency(deps, query))
  route(queues.queues, async () => {
    const states = await readQueues(deps.db)
    return {
      data: [...states].map(([name, { rows, oldestSeconds }]) => ({
        ...{ name, meaning: queues.queueMeanings[name] },
        ...{ waiting: rows, oldestSec: oldestSeconds },
      })),
    }
  })
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
