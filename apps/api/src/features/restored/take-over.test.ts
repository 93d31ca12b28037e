import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { emptyChangeLog } from '#session-memory/change-log-store'
import { atOnce } from '../../../test/at-once.ts'
import { call } from '../../../test/client.ts'
import { engines } from '../../../test/databases.ts'
import { givenSession } from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'
import { renumberEvents, resetProjects } from '../events/store.ts'
import { endAllCursors } from '../project-reads/store.ts'
import { endEverything } from '../sessions/end-everything.ts'
import { hasActiveSignIns } from '../sessions/end-store.ts'
import { endedAdvice, restoredAdvice, takeOverRestored } from './take-over.ts'

const owners = [emptyChangeLog, renumberEvents, resetProjects, endAllCursors]

describe.each(engines)('a database that was restored from another cluster, on %s', (engine) => {
  const world = worldForTests(engine)
  const project = projectForTests(world)
  const told: string[] = []
  beforeAll(async () => {
    await givenSession(world, project)
  })

  const run = (statement: ReturnType<typeof sql>) => world.service.deps.db.execute(statement)
  const log = { warn: (line: string) => void told.push(line) }
  const start = () => takeOverRestored({ db: world.service.deps.db, log }, owners, hasActiveSignIns)
  const read = (query: string) =>
    call(world.url, 'GET', `/api/servers/${demo.mainGuildId}/members?${query}`, { key: project.key })
  const events = () =>
    world.service.deps.db.query<{ type: string; isPast: boolean }>(sql`
      select type, xid < pg_snapshot_xmax(pg_current_snapshot()) as "isPast" from outbox order by xid, id`)

  test('is noticed once, by one of several instances: nothing waits for ids that are yet to come, and readers begin anew', async () => {
    // A start with the instance's own database is not a restore, however often it starts.
    await start()
    await start()
    expect(told).toEqual([])
    const { changeCursor } = (await read('limit=1')).body
    await run(sql`update database_identity set identity = '7000000000000000001/5'`)
    await run(sql`insert into session_changes (xid, kind, fact) values ('99999999', 'member', '1')`)
    await run(sql`
      insert into outbox (xid, project_id, type, data) values ('99999998', ${project.id}, 'session.revoked', '{}')`)

    await atOnce(3, start)

    expect(told).toEqual([restoredAdvice])
    expect(await events()).toEqual([
      { type: 'session.revoked', isPast: true },
      { type: 'reset', isPast: true },
    ])
    const future = sql`select from session_changes where xid >= pg_snapshot_xmax(pg_current_snapshot())`
    expect(await world.service.deps.db.query(future)).toEqual([])
    expect(await read(`changedSince=${changeCursor}`)).toMatchObject({
      status: 410,
      body: { code: 'CURSOR_UNKNOWN' },
    })
  })

  test('is not said to have sessions to end when they were ended before the start; of keys it is still told', async () => {
    await endEverything(world.service.deps)
    told.length = 0
    await run(sql`update database_identity set identity = '7000000000000000001/5'`)
    await start()
    expect(told).toEqual([endedAdvice])
    expect(endedAdvice).not.toContain('sessions revoke')
  })
})
