import type { monitoring } from '@rolecall/contract'
import { readPeriod } from '#platform/http/period'
import type { Deps } from '../../deps.ts'
import { countUsageRows, listUsage } from './read-store.ts'
import { noProject } from './store.ts'

/**
 * How often what was asked, newest minute first. The last hour, unless a period is given.
 * @throws VALIDATION_FAILED when the period ends before it begins
 */
export async function readUsage({ db }: Pick<Deps, 'db'>, query: monitoring.UsageQuery) {
  const { projectId = null, limit = 1_000, offset = 0 } = query
  const { from, to } = readPeriod(query, 'from', 'to')
  const asked = { from: from?.toISOString() ?? null, to: to?.toISOString() ?? null, projectId }
  const [rows, total] = await Promise.all([listUsage(db, asked, limit, offset), countUsageRows(db, asked)])
  const data = rows.map((row) => ({
    ...row,
    minute: row.minute.toISOString(),
    projectId: row.projectId === noProject ? null : row.projectId,
  }))
  return { data, total, limit, offset }
}
