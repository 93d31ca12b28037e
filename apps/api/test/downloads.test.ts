import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../src/platform/db/sql.ts'
import { call } from './client.ts'
import { mainEngines } from './databases.ts'
import { givenProject } from './given.ts'
import { givenWebhook, submit } from './given-webhook.ts'
import { rowsOf } from './requests.ts'
import { adminForTests, worldForTests } from './world-for-tests.ts'

const downloads = rowsOf(
  ({ answers }) => answers[200] && typeof answers[200] === 'object' && 'download' in answers[200],
)

/** The query and the audit entry of each file. A new file needs a row. */
const rows: Record<string, { query: string; entry: object; told: string[] }> = {
  'GET /api/admin/members/export': {
    query: `?format=csv&filter=club&roleId=${demo.roles.crew}&search=amelia`,
    entry: { actionType: 'member', action: 'member.export' },
    told: ['csv', 'filter club', `roleId ${demo.roles.crew}`, 'a search'],
  },
  'GET /api/admin/audit/logs/export': {
    query: '?severity=info&limit=7&search=amelia',
    entry: { actionType: 'auth', action: 'audit.export' },
    told: ['severity info', 'limit 7', 'a search'],
  },
  'GET /api/admin/projects/{projectId}/inbound-webhooks/{webhookId}/submissions/export': {
    query: '?dateFrom=2026-01-01',
    entry: { actionType: 'webhook', action: 'webhook.export', targetType: 'webhook' },
    told: ['dateFrom 2026-01-01'],
  },
}

test('every endpoint that answers a file is in the table', () => {
  expect(Object.keys(rows).sort()).toEqual(downloads.map(([name]) => name).sort())
})

describe.each(mainEngines)('files on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  let ids: Record<string, string>
  const admin = adminForTests(world)
  beforeAll(async () => {
    const project = await givenProject(world)
    const hook = await givenWebhook(world, project)
    await submit(world, project, hook.id, { body: { name: 'Ada' } })
    ids = { projectId: project.id, webhookId: hook.id }
  })

  const addressOf = (name: string) =>
    (name.split(' ')[1] ?? '').replaceAll(/\{(\w+)\}/g, (_, id: string) => ids[id] ?? '') + rows[name]?.query
  const ask = (name: string, as: string | undefined = admin.token) =>
    call(world.url, 'GET', addressOf(name), { ...(as && { token: as }) })
  const entries = () =>
    world.service.deps.db.query<Record<string, unknown>>(sql`
      select action, action_type as "actionType", actor_id as "actorId", target_type as "targetType", summary, ip,
        request_id as "requestId" from audit_log where action like '%.export' order by seq`)

  test.each(Object.keys(rows))(
    '%s leaves one entry: who, what and by which filters, and no name',
    async (name) => {
      const before = (await entries()).length
      const reply = await ask(name)
      expect(reply.status).toBe(200)
      const left = (await entries()).slice(before)
      const requestId = reply.headers.get('x-request-id')
      expect(left).toMatchObject([
        { ...rows[name]?.entry, actorId: demo.users.mara, ip: '127.0.0.1', requestId },
      ])
      for (const told of rows[name]?.told ?? []) expect(left[0]?.['summary']).toContain(told)
      expect(left[0]?.['summary']).not.toContain('amelia')
      // A file of the audit log does not contain the entry about its own download.
      expect(reply.text).not.toContain(requestId)
    },
  )

  test.each(Object.keys(rows))('%s leaves none when it is refused', async (name) => {
    const before = (await entries()).length
    expect((await ask(name, '')).status).toBe(401)
    expect(await entries()).toHaveLength(before)
  })

  test.each(Object.keys(rows))('%s answers nothing when the entry cannot be written', async (name) => {
    const { db } = world.service.deps
    await db.script('create table kept_head as select * from audit_head; delete from audit_head')
    // Does not use `call`, because the contract declares no response for a damaged database.
    const headers = { authorization: `Bearer ${admin.token}` }
    const reply = await fetch(world.url + addressOf(name), { headers })
    await reply.text()
    await db.script('insert into audit_head select * from kept_head; drop table kept_head')
    expect(reply.status).toBe(500)
    expect(reply.headers.get('content-disposition')).toBeNull()
    // The failed file no longer counts as in progress.
    expect((await Promise.all([ask(name), ask(name)])).map(({ status }) => status)).toEqual([200, 200])
  })
})
