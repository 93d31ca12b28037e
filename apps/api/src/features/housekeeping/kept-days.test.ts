import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { countRows, givenSession, validate } from '../../../test/given.ts'
import { givenWebhook, submit } from '../../../test/given-webhook.ts'
import { adminForTests, projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { deleteOldEntries } from '../../audit/retention.ts'
import { sql } from '../../platform/db/sql.ts'
import { deleteSessionAddresses } from '../sessions/own-sessions-store.ts'
import { startHousekeeping } from './start-housekeeping.ts'

describe.each(ciEngines)('what is kept for the days of the settings, on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  const project = projectForTests(world)
  const admin = adminForTests(world)

  const set = async (retention: object) => {
    const reply = await call(world.url, 'PATCH', '/api/admin/settings', { ...admin, body: { retention } })
    expect(reply.status, reply.text).toBe(200)
  }
  /** Builds it as `serve` does. */
  const clean = async () => {
    const { deps } = world.service
    const { db, settings, audit } = deps
    const housekeeping = startHousekeeping(deps, {
      trimChanges: async () => {},
      endKeys: async () => {},
      retention: settings.current,
      steps: [
        () => deleteOldEntries({ db, record: audit.record }, settings.current().auditDays),
        () => deleteSessionAddresses(db, settings.current().sessionAddressesDays, 2),
      ],
    })
    await housekeeping.clean()
    await housekeeping.close()
  }

  test('usage and refused credentials: 30 days, unless an admin says otherwise', async () => {
    const { db } = world.service.deps
    await db.execute(sql`
      insert into usage_minutes select date_trunc('minute', clock_now()) - days * interval '1 day', gen_random_uuid(), 'GET /kept', 200, 1
      from (values (29), (31), (59)) as x (days)`)
    await db.execute(sql`
      insert into auth_failures (id, at, kind, reason, path)
      select gen_random_uuid(), clock_now() - days * interval '1 day', 'session', 'unknown', '/kept'
      from (values (29), (31), (59)) as x (days)`)
    const left = async () => [
      await countRows(world, `usage_minutes where route = 'GET /kept'`),
      await countRows(world, `auth_failures where path = '/kept'`),
    ]
    await set({ usageDays: 60, authFailuresDays: 58 })
    await clean()
    expect(await left()).toEqual([3, 2])
    await set({ usageDays: 30, authFailuresDays: 28 })
    await clean()
    expect(await left()).toEqual([1, 0])
  })

  test('submissions: all, until an admin says how many days', async () => {
    const hook = await givenWebhook(world, project)
    for (let i = 0; i < 3; i++) await submit(world, project, hook.id, { body: { name: 'Ada' } })
    await world.service.deps.db.execute(sql`
      update inbound_submissions set received_at = clock_now() - interval '400 days'
      where id <> (select id from inbound_submissions order by received_at desc limit 1)`)
    await clean()
    expect(await countRows(world, 'inbound_submissions')).toBe(3)
    await set({ submissionsDays: 365 })
    await clean()
    expect(await countRows(world, 'inbound_submissions')).toBe(1)
  })

  test('addresses and browsers of sessions: as long as the session, until an admin says how many days; it goes on', async () => {
    const sessions = []
    for (let i = 0; i < 5; i++) sessions.push(await givenSession(world, project, demo.users.rosa))
    const { db } = world.service.deps
    await db.execute(
      sql`update sessions set created_at = created_at - interval '8 days' where project_id = ${project.id}`,
    )
    // Some sessions have only one of the two.
    await db.execute(sql`
      update sessions set ip = null, user_agent = 'A browser' where id in (
        select id from sessions where project_id = ${project.id} limit 2)`)
    // At that time, the project already had its server.
    await db.execute(sql`update server_access set readable_since = null where project_id = ${project.id}`)
    const told = () =>
      countRows(
        world,
        `sessions where project_id = '${project.id}' and (ip is not null or user_agent is not null)`,
      )
    await clean()
    expect(await told()).toBe(5)
    await set({ sessionAddressesDays: 7 })
    await clean()
    expect(await told()).toBe(0)
    for (const { token } of sessions) expect((await validate(world, project, token)).status).toBe(200)
  })

  test('the audit log: a hundred years; a shorter time takes an entry and 90 days at least', async () => {
    await clean()
    expect(await countRows(world, 'audit_start where seq > 0')).toBe(0)
    const short = await call(world.url, 'PATCH', '/api/admin/settings', {
      ...admin,
      body: { retention: { auditDays: 89 } },
    })
    expect(short.status).toBe(400)
    await set({ auditDays: 90 })
    const { db } = world.service.deps
    await db.script(`begin; alter table audit_log disable trigger all;
      update audit_log set at = clock_now() - interval '92 days' where seq <= 2;
      alter table audit_log enable trigger all; commit`)
    await clean()
    expect(await countRows(world, 'audit_log where seq <= 2')).toBe(0)
    const { body } = await call(world.url, 'GET', '/api/admin/audit/logs?limit=1', admin)
    expect(body.data[0]).toMatchObject({ action: 'audit.let_go', changes: { start: { after: { seq: 2 } } } })
  })
})
