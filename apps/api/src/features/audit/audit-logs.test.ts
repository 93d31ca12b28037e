import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import type { AuditEvent } from '#audit/event'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

const fields = [
  'id',
  'at',
  'actorId',
  'actorUsername',
  'actionType',
  'action',
  'severity',
  'targetType',
  'targetId',
  'targetName',
  'summary',
  'changes',
  'ip',
  'requestId',
  'hash',
]
const ada = { id: demo.users.ada, username: 'ada' }

describe.each(ciEngines)('the audit log on %s', (engine) => {
  const world = worldForTests(engine)
  const admin = adminForTests(world)
  beforeAll(async () => {
    const { db } = world.service.deps
    // The sign-in wrote an entry of its own; these tests count only the entries that they write.
    await db.script(`alter table audit_log disable trigger all; delete from audit_log;
      alter table audit_log enable trigger all`)
    const toProject = (id: string) => ({ type: 'project', id })
    await given(
      { action: 'project.create', actionType: 'project', target: toProject(ada.id) },
      '2026-01-30T12:00:00Z',
    )
    await given(
      { action: 'project.delete', actionType: 'project', actor: ada, target: toProject('p2') },
      '2026-01-31T00:00:00Z',
    )
    await given({ action: 'server.sync', actionType: 'sync', severity: 'error' }, '2026-01-31T23:59:59.999Z')
    await given({ action: 'webhook.create', actionType: 'webhook', actor: ada }, '2026-02-01T00:00:00Z')
    await db.script(realClock)
  })

  /** Records an event at that moment. */
  async function given(event: Partial<AuditEvent>, at: string) {
    const { db, audit } = world.service.deps
    await db.script(
      `create or replace function clock_now() returns timestamptz language sql stable as $$ select '${at}'::timestamptz $$`,
    )
    await db.transaction((tx) =>
      audit.record(tx, { actionType: 'auth', action: 'thing.do', summary: 'It was done.', ...event }),
    )
  }
  const realClock =
    "create or replace function clock_now() returns timestamptz language sql stable parallel safe as $$ select date_trunc('milliseconds', now()) $$"
  const list = (query = '') => call(world.url, 'GET', `/api/admin/audit/logs${query}`, admin)
  const actions = async (query: string) =>
    (await list(query)).body.data.map(({ action }: { action: string }) => action)

  test('answers entries with exactly the documented fields, newest first', async () => {
    const { body } = await list()
    expect(Object.keys(body).sort()).toEqual(['data', 'limit', 'nextCursor', 'offset', 'total'])
    expect(body).toMatchObject({ total: 4, limit: 50, offset: 0 })
    for (const entry of body.data) expect(Object.keys(entry)).toEqual(fields)
    expect(body.data.map(({ at }: { at: string }) => at)).toEqual([
      '2026-02-01T00:00:00.000Z',
      '2026-01-31T23:59:59.999Z',
      '2026-01-31T00:00:00.000Z',
      '2026-01-30T12:00:00.000Z',
    ])
  })

  test.each([
    ['?search=SERVER.s', ['server.sync']],
    ['?search=was%20DONE&actionType=webhook', ['webhook.create']],
    ['?search=%25', []],
    ['?search=', ['webhook.create', 'server.sync', 'project.delete', 'project.create']],
    ['?dateFrom=2026-01-31', ['webhook.create', 'server.sync', 'project.delete']],
    ['?dateFrom=2026-01-31T00:00:00.001Z', ['webhook.create', 'server.sync']],
    ['?dateTo=2026-01-30', ['project.create']],
    ['?dateFrom=2026-01-31&dateTo=2026-01-31', ['server.sync', 'project.delete']],
    ['?dateTo=2026-01-31T00:00:00Z', ['project.delete', 'project.create']],
    ['?dateTo=2026-01-31t01:00:00%2b01:00', ['project.delete', 'project.create']],
    ['?dateFrom=2026-02-01T22:59:00%2B23:59', ['webhook.create', 'server.sync']],
    [`?actorId=${demo.users.ada}`, ['webhook.create', 'project.delete']],
    [`?actorId=${demo.users.ada}&actionType=project`, ['project.delete']],
    ['?actionType=sync', ['server.sync']],
    ['?severity=error', ['server.sync']],
    ['?targetType=project', ['project.delete', 'project.create']],
    ['?targetId=p2', ['project.delete']],
    [`?memberId=${demo.users.ada}`, ['webhook.create', 'project.delete', 'project.create']],
    ['?severity=warning', []],
    ['?limit=1&offset=1', ['server.sync']],
    ['?offset=999999999999999', []],
  ])('filters by %s', async (query, expected) => {
    expect(await actions(query)).toEqual(expected)
  })

  test('counts what the filters let through, not what the page shows', async () => {
    expect((await list('?actionType=project&limit=1&offset=5')).body).toMatchObject({ data: [], total: 2 })
  })

  test.each([
    ['?dateFrom=2026-02-30', ['/dateFrom']],
    ['?dateFrom=2026-13-01', ['/dateFrom']],
    ['?dateTo=2025-02-29T00:00:00Z', ['/dateTo']],
    ['?dateTo=2026-01-01T25:00:00Z', ['/dateTo']],
    ['?dateTo=2026-01-01T00:00:00', ['/dateTo']],
    ['?dateFrom=yesterday', ['/dateFrom']],
    ['?dateFrom=', ['/dateFrom']],
    ['?dateFrom=2026-01-02&dateTo=2026-01-01', ['/dateTo']],
    ['?dateFrom=2026-01-02T00:00:00.001Z&dateTo=2026-01-02T00:00:00Z', ['/dateTo']],
    ['?limit=0', ['/limit']],
    ['?limit=501', ['/limit']],
    ['?limit=1.5', ['/limit']],
    ['?limit=-1', ['/limit']],
    ['?offset=-1', ['/offset']],
    ['?actorId=mara', ['/actorId']],
    ['?actionType=settings&severity=fatal&page=2', ['/page', '/actionType', '/severity']],
    ['?limit=1&limit=2', ['/limit']],
  ])('refuses %s, naming every problem', async (query, paths) => {
    for (const path of ['logs', 'logs/export']) {
      const reply = await call(world.url, 'GET', `/api/admin/audit/${path}${query}`, admin)
      expect(reply.status).toBe(400)
      expect(reply.body.code).toBe('VALIDATION_FAILED')
      const named = reply.body.errors.map((one: { path: string }) => one.path)
      expect(named.sort()).toEqual([...paths].sort())
    }
  })

  test('takes every documented word and limit', async () => {
    for (const type of ['auth', 'project', 'server', 'role', 'webhook', 'member', 'sync', 'permission']) {
      expect((await list(`?actionType=${type}`)).status).toBe(200)
    }
    expect((await list('?limit=500')).body.limit).toBe(500)
  })

  test('goes on from a cursor, over entries of one moment too, and counts only without one', async () => {
    const whole = (await list()).body.data.map(({ id }: { id: string }) => id)
    for (const limit of [1, 3, 4]) {
      const seen: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const { body } = await list(`?limit=${limit}${cursor && `&cursor=${cursor}`}`)
        expect(body.total).toBe(cursor ? null : whole.length)
        seen.push(...body.data.map(({ id }: { id: string }) => id))
        cursor = body.nextCursor
      }
      expect(seen).toEqual(whole)
    }
    for (const wrong of ['x', '1', '1-', `${'9'.repeat(16)}-1`])
      expect((await list(`?cursor=${wrong}`)).status).toBe(400)
    expect((await list('?cursor=999999999999999-999999999999999999')).body.data).toHaveLength(4)
  })

  test('exports the same entries as CSV, defused', async () => {
    const { db, audit } = world.service.deps
    const changes = { name: { before: undefined, after: '=1+1' } }
    await db.transaction((tx) =>
      audit.record(tx, { actionType: 'role', action: 'x.y', summary: '=cmd|"/c"', changes }),
    )
    const reply = await call(world.url, 'GET', '/api/admin/audit/logs/export?actionType=role', admin)
    expect(reply.headers.get('content-type')).toContain('text/csv')
    expect(reply.headers.get('content-disposition')).toMatch(/^attachment; filename="audit-log-\d{8}\.csv"$/)
    const [header, row = '', end] = reply.text.replace('\uFEFF', '').split('\r\n')
    expect(header).toBe(fields.join(','))
    expect(row).toContain(`"'=cmd|""/c"""`)
    expect(row).toContain('"{""name"":{""before"":null,""after"":""=1+1""}}"')
    expect(end).toBe('')
    expect(
      (await call(world.url, 'GET', '/api/admin/audit/logs/export?limit=1', admin)).text.trim().split('\r\n'),
    ).toHaveLength(2)
  })

  test.each([
    "update audit_log set summary = 'x'",
    'delete from audit_log where seq = 1',
    'truncate audit_log',
    "insert into audit_log select * from audit_log on conflict (seq) do update set summary = 'x'",
  ])('refuses `%s`', async (statement) => {
    const { db } = world.service.deps
    await expect(db.script(statement)).rejects.toThrow('append-only')
    const count = await db.maybeOne<{ n: number }>(
      sql`select count(*) as n from audit_log where summary <> 'x'`,
    )
    expect(count?.n).toBeGreaterThan(3)
  })
})
