import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { databaseForTests } from '../../../test/database-for-tests.ts'
import { defaultRetention } from '../../../test/retention.ts'
import { migrate } from '../../platform/db/migrate.ts'
import { sql } from '../../platform/db/sql.ts'
import { durationBuckets } from '../../platform/metrics/request-metrics.ts'
import { deleteExpired } from '../housekeeping/store.ts'
import { addUsage, noProject } from './store.ts'

const guide = readFileSync(new URL('../../../../../docs/guides/partitioning.md', import.meta.url), 'utf8')
const script = /```sql\n([\s\S]*?)```/.exec(guide)?.[1] ?? ''
const took = Array.from({ length: durationBuckets }, () => 1)

describe('usage counts that the guide divided by month', () => {
  const db = databaseForTests('postgres')
  const count = () =>
    addUsage(db, [
      { at: performance.now(), projectId: noProject, route: 'GET /y', status: 200, count: 2, took },
    ])
  const total = async (where = sql`true`) =>
    (
      await db.maybeOne<{ n: number }>(
        sql`select coalesce(sum(count), 0)::int as n from usage_minutes where ${where}`,
      )
    )?.n
  beforeAll(async () => {
    await db.script(`
      insert into usage_minutes
        select date_trunc('minute', clock_now()) - i * interval '1 hour', gen_random_uuid(), 'GET /x', 200, 1
        from generate_series(0, 1000) i`)
    await count()
    await db.script(script)
  })

  test('are all there, in months, and nothing is left to migrate', async () => {
    expect(await total()).toBe(1_003)
    const parts = await db.query(sql`
      select tableoid from usage_minutes where tableoid <> 'usage_minutes_rest'::regclass group by tableoid`)
    expect(parts.length).toBeGreaterThanOrEqual(2)
    await migrate(db)
  })

  test('are added to as before, one row a minute', async () => {
    await Promise.all([count(), count()])
    expect(await total(sql`route = 'GET /y'`)).toBe(6)
    const [row] = await db.query<{ rows: number; minutes: number }>(sql`
      select count(*)::int as rows, count(distinct minute)::int as minutes from usage_minutes where route = 'GET /y'`)
    expect(row?.rows).toBe(row?.minutes)
  })

  test('are deleted as old as before', async () => {
    while ((await deleteExpired(db, defaultRetention)) > 0);
    const old = sql`minute < clock_now() - ${defaultRetention.usageDays}::int * interval '1 day'`
    expect([await total(old), await total(sql`not (${old})`)]).toEqual([0, 720 + 6])
  })
})
