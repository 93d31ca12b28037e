import { beforeAll, describe, expect, test } from 'vitest'
import { databaseForTests } from '../../../test/database-for-tests.ts'
import { engines } from '../../../test/databases.ts'
import { defaultRetention } from '../../../test/retention.ts'
import type { Database } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import { createLog } from '../../platform/log.ts'
import { startHousekeeping } from '../housekeeping/start-housekeeping.ts'

describe.each(engines)('what monitoring keeps on %s', (engine) => {
  const db = databaseForTests(engine)
  beforeAll(async () => {
    await db.script(`
      insert into usage_minutes
        select date_trunc('minute', clock_now()) - i * interval '20 minutes', gen_random_uuid(), 'GET /x', 200, 1
        from generate_series(0, 4000) i;
      insert into auth_failures (id, at, kind, reason, path)
        select gen_random_uuid(), clock_now() - i * interval '20 minutes', 'session', 'unknown', '/x'
        from generate_series(0, 4000) i;
      insert into instances (id, version, started_at, last_seen_at, leads_gateway)
        select gen_random_uuid(), '0', clock_now(), clock_now() - i * interval '13 hours', false
        from generate_series(0, 3) i`)
  })

  test('is 30 days, deleted in batches of which none holds anybody up', async () => {
    const largest: number[] = []
    const watched: Database = {
      ...db,
      execute: async (statement) => {
        const count = await db.execute(statement)
        largest.push(count)
        return count
      },
    }
    const housekeeping = startHousekeeping(
      { db: watched, log: createLog('silent') },
      { trimChanges: async () => {}, endKeys: async () => {}, retention: () => defaultRetention, steps: [] },
    )
    await housekeeping.clean()
    await housekeeping.close()
    expect(Math.max(...largest)).toBe(1_000)
    const left = await db.maybeOne<Record<string, number>>(sql`
      select (select count(*) from usage_minutes) as usage, (select count(*) from auth_failures) as failures,
        (select count(*) from instances) as instances,
        (select count(*) from usage_minutes where minute < clock_now() - interval '30 days') as old`)
    // 72 a day, and the newest.
    expect(left).toMatchObject({ failures: 30 * 72, instances: 2, old: 0 })
    expect(left?.['usage']).toBeGreaterThanOrEqual(30 * 72)
  })
})
