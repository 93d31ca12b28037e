import { demo } from '@rolecall/chat-sim'
import type { EndpointDefinition } from '@rolecall/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../src/app.ts'
import type { Database, Queryable } from '../src/platform/db/database.ts'
import { type Sql, sql } from '../src/platform/db/sql.ts'
import { createLifecycle } from '../src/platform/http/lifecycle.ts'
import { call } from './client.ts'
import { mainEngines } from './databases.ts'
import { givenAdmin, givenProject } from './given.ts'
import { propertiesOf, rowsOf, type Schema } from './requests.ts'
import type { World } from './service.ts'
import { worldForTests } from './world-for-tests.ts'

/** The endpoints that return a list, or a file of a list. */
const lists = rowsOf(({ method, auth, answers }) => {
  const answer = answers[200] as Schema | { download: unknown } | undefined
  if (method !== 'GET' || auth !== 'admin' || !answer) return false
  return 'download' in answer || propertiesOf(answer).some(([, { items }]) => items?.properties)
})

/** Returns true for lists of traffic, problems, or the platform. Twenty more records do not make them longer. */
const isUnaffected = (name: string) => /\/(monitoring\/|attention$|bot$|refused-logins$)/.test(name)

/**
 * The maximum number of statements. All statements of the request count, including the authentication of the caller.
 */
const most = 6

describe.each(mainEngines)('the lists of the administration on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000', MAX_WEBHOOKS_PER_PROJECT: '100' })
  let token: string
  let ids: Record<string, string>
  let url: string
  let statements = 0
  let close: () => Promise<void>
  beforeAll(async () => {
    token = await givenAdmin(world)
    const { deps, recorder } = world.service
    const { id: projectId } = await givenProject(world)
    const body = { name: 'Form', schema: {} }
    const path = `/api/admin/projects/${projectId}/inbound-webhooks`
    const { id: webhookId } = (await call(world.url, 'POST', path, { token, body })).body
    ids = { projectId, webhookId, serverId: demo.mainGuildId, chat_user_id: demo.users.mara }

    const db = counting(deps.db, () => {
      statements += 1
    })
    const app = createApp({ ...deps, db }, recorder, createLifecycle())
    url = await app.listen({ host: '127.0.0.1', port: 0 })
    close = () => app.close()
  })
  afterAll(() => close())

  /**
   * Returns the fewest statements that the list needs in several reads, because the service's background work may also
   * run statements meanwhile. Reads at least three times, and again while the list needs more than `expected`.
   */
  const read = async ({ path, params }: EndpointDefinition, expected = Number.POSITIVE_INFINITY) => {
    const schemas = Object.fromEntries(propertiesOf(params))
    const ofMember = path.startsWith('/api/admin/members/') ? ids['chat_user_id'] : undefined
    const idOf = (name: string) =>
      ofMember ?? ids[name] ?? ids[schemas[name]?.format === 'uuid' ? 'projectId' : 'serverId'] ?? ''
    // Each new project and each download adds an entry, so that a page of the default size would be full both times.
    const query = path.startsWith('/api/admin/audit/logs') ? '?limit=500' : ''
    const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => idOf(name)) + query
    let least = { statements: Number.POSITIVE_INFINITY, size: 0 }
    for (let i = 0; i < 3 || (i < 20 && least.statements > expected); i++) {
      statements = 0
      const reply = await call(url, 'GET', address, { token })
      expect(reply.status, reply.text).toBe(200)
      if (statements < least.statements) least = { statements, size: reply.text.length }
    }
    return least
  }

  test('cost the same few statements, however much there is', async () => {
    await fill(world, ids, 1)
    // Requests each list once, which caches the caller.
    for (const [, one] of lists) await read(one)
    const few = new Map<string, { statements: number; size: number }>()
    for (const [name, one] of lists) few.set(name, await read(one))
    await fill(world, ids, 100)
    for (const [name, one] of lists) {
      const before = few.get(name) ?? { statements: 0, size: 0 }
      const many = await read(one, before.statements)
      if (!isUnaffected(name)) {
        expect(many.size, `${name} shows more`).toBeGreaterThan(before.size)
      }
      // Does not require equality, because the earlier numbers may include background work of the service.
      expect(many.statements, name).toBeLessThanOrEqual(before.statements)
      expect(many.statements, name).toBeLessThanOrEqual(most)
    }
  })
})

/** Adds twenty more records of each listed kind. */
async function fill({ service }: World, { projectId, webhookId }: Record<string, string>, from: number) {
  const { db, audit } = service.deps
  await db.script(`
    insert into servers (id, name) select (300000000000000000 + i)::text, 'Server ' || i from generate_series(${from}, ${from} + 19) i;
    insert into roles (server_id, id, name)
      select '${demo.mainGuildId}', (400000000000000000 + i)::text, 'Role ' || i from generate_series(${from}, ${from} + 19) i;
    insert into members (id, username) select (200000000000000000 + i)::text, 'amber' || i from generate_series(${from}, ${from} + 19) i;
    insert into memberships (server_id, member_id, role_ids)
      select '${demo.mainGuildId}', (200000000000000000 + i)::text, array[(400000000000000000 + i)::text]
      from generate_series(${from}, ${from} + 19) i;
    insert into memberships (server_id, member_id)
      select (300000000000000000 + i)::text, '${demo.users.mara}' from generate_series(${from}, ${from} + 19) i;
    insert into sessions (id, project_id, member_id, server_id, membership_generation, token_digest, refresh_digest, expires_at, max_expires_at)
      select gen_random_uuid(), '${projectId}', m.member_id, m.server_id, m.generation, 't ' || m.member_id, 'r ' || m.member_id,
        clock_now() + interval '1 hour', clock_now() + interval '1 hour'
      from memberships m join generate_series(${from}, ${from} + 19) i on m.member_id = (200000000000000000 + i)::text;
    insert into member_role_changes (member_id, server_id, role_id, is_added)
      select '${demo.users.mara}', '${demo.mainGuildId}', (400000000000000000 + i)::text, true
      from generate_series(${from}, ${from} + 19) i;
    insert into sso_sessions (id, digest, member_id, expires_at)
      select gen_random_uuid(), 'digest ' || i, '${demo.users.mara}', clock_now() + interval '1 hour'
      from generate_series(${from}, ${from} + 19) i;
    insert into server_access (project_id, server_id, scopes)
      select '${projectId}', (300000000000000000 + i)::text, array['read_members'] from generate_series(${from}, ${from} + 19) i;
    insert into api_keys (id, project_id, prefix, digest, replaced_at, revoked_at)
      select gen_random_uuid(), '${projectId}', 'rck_' || i, 'digest ' || i, clock_now(), clock_now()
      from generate_series(${from}, ${from} + 19) i;
    insert into deliveries (kind, place, xid, project_id, type, data, member_id, failed_at)
      select k.kind, i, k.xid, '${projectId}', k.type, jsonb_build_object('sessionId', gen_random_uuid()), '${demo.users.mara}', clock_now()
      from (values ('notice', xid8 '0', 'key.revoked'), ('event', '3', 'member.left'), ('logout', '0', 'logout')) k (kind, xid, type)
      cross join generate_series(${from}, ${from} + 19) i;
    insert into access_trail (id, action, project_id, project_name, server_id, server_name)
      select gen_random_uuid(), 'GRANT', '${projectId}', 'Project', (300000000000000000 + i)::text, 'Server ' || i
      from generate_series(${from}, ${from} + 19) i`)
  for (let i = from; i < from + 20; i++) {
    await givenProject({ service } as World, {
      name: `Filled ${i}`,
      owners: { memberIds: [demo.users.mara] },
    })
    await db.execute(sql`
      insert into inbound_webhooks (id, project_id, name, slug, schema, secret_sealed)
      values (gen_random_uuid(), ${projectId}, 'Form', ${`form-${i}`}, '{}', '\\x00')`)
    await db.execute(sql`
      insert into inbound_submissions (id, webhook_id, payload, is_signed, received_at)
      values (gen_random_uuid(), ${webhookId}, '{}', false, clock_now())`)
    await db.transaction((tx) =>
      audit.record(tx, { actionType: 'role', action: 'x.y', summary: `Entry ${i}` }),
    )
  }
}

/** Wraps a database to report each statement. */
function counting(db: Database, told: () => void): Database {
  const counted =
    <Args extends unknown[], T>(run: (...args: Args) => T) =>
    (...args: Args): T => {
      told()
      return run(...args)
    }
  const through = <Q extends Queryable>(one: Q): Q => ({
    ...one,
    query: <Row>(statement: Sql) => counted(one.query<Row>)(statement),
    maybeOne: <Row>(statement: Sql) => counted(one.maybeOne<Row>)(statement),
    execute: counted(one.execute),
  })
  return {
    ...through(db),
    batched: <Row>(statement: Sql) => counted(db.batched<Row>)(statement),
    transaction: (work, options) => db.transaction((tx) => work(through(tx)), options),
    stream: <Row>(statement: Sql, pageSize: number) => counted(db.stream<Row>)(statement, pageSize),
  }
}
