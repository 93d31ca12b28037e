import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { clean } from '../../../test/clean.ts'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { openEvents } from '../../../test/event-reader.ts'
import {
  authorizePath,
  Browser,
  countRows,
  givenAdmin,
  givenCode,
  givenProject,
  givenSession,
  validate,
  walkLogin,
} from '../../../test/given.ts'
import { adminForTests, projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { verifyChain } from '../../audit/verify-chain.ts'
import { sql } from '../../platform/db/sql.ts'

const { users, mainGuildId, roles } = demo
const person = users.joon

/** The reasons why columns of rows about a person are not in the file. */
const notInFile: Readonly<Record<string, string>> = {
  'audit_log.seq': 'a place in the log; the entry is named by its id',
  'audit_log.previous_hash': 'the chain',
  'audit_log.hash': 'the chain',
  'audit_log.request_id': 'names a request to operators, who look it up in their own log',
  'audit_log.actor_id': 'told where it was themselves, as `byThemselves`',
  'audit_log.actor_username': 'told where it was themselves',
  'audit_log.ip': 'told where it was themselves',
  'audit_log.actor_salt': 'proves what was said, and says nothing',
  'audit_log.actor_commitment': 'as its salt',
  'audit_log.target_salt': 'as above',
  'audit_log.target_commitment': 'as above',
  'audit_log.summary_salt': 'as above',
  'audit_log.summary_commitment': 'as above',
  'access_trail.seq': 'a place in the trail',
  'authorization_codes.digest': 'of a code, which is not kept',
  'authorization_codes.code_challenge': 'of the program that asked, not of the person',
  'authorization_codes.browser_digest': 'of a cookie, which is not kept',
  'deliveries.id': 'a message, not the person',
  'deliveries.kind': 'follows from the part of the file',
  'deliveries.xid': 'a transaction',
  'deliveries.place': 'a place in a queue',
  'deliveries.queued_at': 'the delivery of a message, not the person',
  'deliveries.next_attempt_at': 'as above',
  'deliveries.attempts': 'as above',
  'deliveries.delivered_at': 'as above',
  'deliveries.is_erased': 'as above',
  'member_syncs.runner': 'a process',
  'member_syncs.beat_at': 'a process',
  'member_syncs.after_id': 'a place in a list',
  'member_syncs.unlisted': 'others',
  'member_syncs.seen': 'counts of others',
  'member_syncs.changed': 'counts of others',
  'member_syncs.ended': 'counts of others',
  'members.is_current': 'follows from the memberships',
  'members.search_text': 'the names in small letters',
  'memberships.changed_xid': 'a transaction',
  'memberships.other_server_ids': 'the other memberships once more',
  'memberships.search_text': 'the names in small letters',
  'memberships.indexed_role_ids': 'the roles once more',
  'project_owners.role_ids': 'roles, not the person',
  'project_owners.member_ids': 'told as `ownedProjects`; the others are others',
  'outbox.id': 'a place in the stream',
  'outbox.xid': 'a transaction',
  'sessions.membership_generation': 'that of the membership then',
  'sessions.token_digest': 'of a token, which is not kept',
  'sessions.refresh_digest': 'of a token, which is not kept',
  'session_changes.*': 'a note for the instances, deleted within minutes',
  'settings.*': 'settings of the service; only when they were written is of the person',
  'sso_sessions.digest': 'of a cookie, which is not kept',
  'sso_sessions.previous_digest': 'of a cookie, which is not kept',
}

/** The tables that still name a person after the erasure, with the reasons. */
const keptAfterwards: Readonly<Record<string, string>> = {
  deliveries: 'until it is delivered: projects must be notified of ended sessions and of the erasure',
  member_blocks: 'a block in force, without its reason: erasing is no way out of it',
  outbox: 'for a day: projects must hear that sessions ended',
  session_changes: 'for minutes: instances must hear it',
}

describe.each(ciEngines)('what is kept about a person, on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000', RATE_LIMIT_GLOBAL: '0' })
  const project = projectForTests(world, { name: 'Shop' })
  const admin = adminForTests(world)
  beforeAll(() => givenTraces())

  const ask = (method: string, path: string, token = admin.token, body?: object) =>
    call(world.url, method, `/api/admin${path}`, { token, ...(body && { body }) })
  const done = async (reply: ReturnType<typeof ask>) => {
    const { status, text, body } = await reply
    expect(status, text).toBeLessThan(300)
    return body
  }

  /** Creates all data that a person can leave: as a member of several projects, and as an admin who is then blocked. */
  async function givenTraces() {
    const { db } = world.service.deps
    world.sim.world.setRoles(mainGuildId, person, [roles.steward])
    await done(
      ask('PATCH', `/projects/${project.id}`, admin.token, { eventsUrl: 'https://receiver.invalid/' }),
    )
    const browser = new Browser(world.url)
    await walkLogin(world, authorizePath(project.id), { browser, as: person })
    await givenSession(world, project, person)
    await givenCode(world, project, person)
    await call(world.url, 'POST', '/api/auth/logout-all', { key: project.key, body: { memberId: person } })
    await givenSession(world, project, person)
    await done(
      ask('PATCH', `/projects/${project.id}`, admin.token, {
        owners: { roleIds: [roles.crew], memberIds: [person] },
      }),
    )
    const { token } = await givenSession(world, project, person)
    expect((await ask('GET', '/projects', token)).status).toBe(403)
    await world.service.recorder.flush()
    const own = await givenAdmin(world, person)
    await done(ask('PATCH', '/profile', own, { preferredName: 'Joon the Second' }))
    await done(ask('PATCH', '/settings', own, { cache: { statsTtlMs: 7 } }))
    await done(
      ask('PUT', `/projects/${project.id}/servers/${mainGuildId}`, own, { scopes: ['read_members'] }),
    )
    world.sim.world.setRoles(mainGuildId, person, [roles.steward, roles.captain])
    await done(ask('POST', `/servers/${mainGuildId}/sync`, own))
    await vi.waitFor(
      async () => expect(await countRows(world, 'member_syncs where finished_at is not null')).toBe(1),
      { timeout: 20_000, interval: 20 },
    )
    await db.execute(sql`
      insert into deliveries (kind, project_id, type, data, delivered_at)
      select 'notice', ${project.id}, 'key.revoked',
        jsonb_build_object('text', 'The API key of Shop was revoked. By ' || username || '.'), clock_now()
      from members where id = ${person}`)
    await givenBlock()
  }

  /** A blocked member with a single sign-on from a sign-in that did not see the block. */
  async function givenBlock() {
    await done(ask('PUT', `/members/${person}/block`, admin.token, { reason: 'Sold what was not theirs' }))
    await world.service.deps.db.execute(sql`
      insert into sso_sessions (id, digest, previous_digest, rotated_at, member_id, ip, user_agent, expires_at)
      values (gen_random_uuid(), 'digest', 'before', clock_now(), ${person}, '192.0.2.77', 'Firefox',
        clock_now() + interval '1 hour')`)
  }

  const tables = async () =>
    (
      await world.service.deps.db.query<{ name: string }>(sql`
        select table_name as name from information_schema.tables
        where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`)
    ).map(({ name }) => name)
  /** Returns the rows of a table that contain one of these values. */
  const rowsWith = (table: string, values: readonly string[]) =>
    world.service.deps.db.query<{ row: Record<string, unknown> }>({
      text: `select to_json(t) as row from ${table} t where exists (
        select from unnest($1::text[]) v where position(v in to_json(t)::text) > 0)`,
      values: [values],
    })
  const values = async () => {
    const row = await world.service.deps.db.maybeOne<{ username: string; email: string | null }>(
      sql`select username, email from members where id = ${person}`,
    )
    return [
      person,
      `"${row?.username}"`,
      ` ${row?.username} `,
      `By ${row?.username}`,
      'Joon the Second',
    ].concat(row?.email ?? [])
  }

  test('is in one file: every column of every row that refers to them, or there is a reason', async () => {
    const reply = await ask('GET', `/members/${person}/data`)
    expect(reply.status, reply.text).toBe(200)
    expect(reply.headers.get('content-disposition')).toMatch(
      /^attachment; filename="member-\d+-\d{8}\.json"$/,
    )
    const told = new Set<string>()
    const collect = (value: unknown): void => {
      if (Array.isArray(value)) value.forEach(collect)
      else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect)
      else told.add(comparable(value))
    }
    collect(reply.body)
    const [missing, used, found] = [[] as string[], new Set<string>(), new Set<string>()]
    for (const table of await tables()) {
      for (const { row } of await rowsWith(table, await values())) {
        found.add(table)
        for (const [column, value] of Object.entries(row)) {
          const reason = [`${table}.*`, `${table}.${column}`].find((name) => name in notInFile)
          if (reason) used.add(reason)
          // The file is about the person, so it contains their ID once.
          else if (value === null || value === person) continue
          else {
            const parts: string[] = []
            flatten(value, parts)
            if (parts.some((part) => !told.has(part)))
              missing.push(`${table}.${column}: ${JSON.stringify(value)}`)
          }
        }
      }
    }
    expect(missing).toEqual([])
    expect(Object.keys(notInFile).filter((name) => !used.has(name))).toEqual([])
    // Each of these was checked, and had data.
    expect([...found]).toEqual(
      expect.arrayContaining([
        ...[
          'access_trail',
          'audit_log',
          'authorization_codes',
          'member_activity',
          'member_blocks',
          'member_role_changes',
          'deliveries',
          'member_syncs',
          'project_owners',
        ],
        ...['members', 'memberships', 'outbox', 'project_logouts', 'sessions', 'settings', 'sso_sessions'],
      ]),
    )
  })

  test('no column refers to a member, by key or by name, in a table that these tests do not know', async () => {
    const { db } = world.service.deps
    const named = await db.query<{ name: string }>(sql`
      select distinct c.table_name as name from information_schema.columns c
      join information_schema.tables t on t.table_name = c.table_name and t.table_schema = 'public' and t.table_type = 'BASE TABLE'
      where c.table_schema = 'public' and (c.column_name ~ '(member|actor|user|email|nick)' or c.column_name ~ '(_by|^ip)$')
      union
      select conrelid::regclass::text from pg_constraint where confrelid = 'members'::regclass
      order by 1`)
    expect(named.map(({ name }) => name)).toEqual([
      ...['access_trail', 'audit_log', 'auth_failures', 'authorization_codes', 'deliveries'],
      'forward_auth',
      'member_activity',
      'member_blocks',
      'member_role_changes',
      ...[
        'member_syncs',
        'members',
        'memberships',
        'oidc_consents',
        'oidc_records',
        'project_logouts',
        'project_owners',
        'sessions',
        'settings',
        'sso_sessions',
      ],
    ])
  })

  test('is gone after an erasure, but for what has a reason; the audit chain is whole, and tells that it was done', async () => {
    const gone = await values()
    const session = await givenSession(world, project, users.ada)
    const before = await verifyChain(world.service.deps)
    expect(before.problem).toBeUndefined()
    expect((await ask('DELETE', `/members/${person}`)).status).toBe(204)

    const left: string[] = []
    for (const table of await tables()) if ((await rowsWith(table, gone)).length > 0) left.push(table)
    expect(left).toEqual(Object.keys(keptAfterwards))
    const [kept] = await rowsWith('member_blocks', [person])
    expect(kept?.row).toMatchObject({ member_id: person, reason: null })

    const after = await verifyChain(world.service.deps)
    expect(after.problem).toBeUndefined()
    expect(after.entries).toBe(before.entries + 1)
    expect(after.erased).toBeGreaterThanOrEqual(6)
    const { data } = (await ask('GET', '/audit/logs?limit=500')).body
    expect(data[0]).toMatchObject({ action: 'member.erase', actorId: users.mara, targetId: null })
    expect(
      data.filter((one: { summary: string }) => one.summary.includes('was erased')).length,
    ).toBeGreaterThan(5)
    const trail = (await ask('GET', `/projects/access/audit?projectId=${project.id}`)).body.data
    expect(trail).toContainEqual(
      expect.objectContaining({ action: 'UPDATE', actorId: null, actorUsername: null }),
    )
    expect((await ask('GET', `/members/${person}/data`)).body.code).toBe('MEMBER_NOT_FOUND')
    expect((await ask('DELETE', `/members/${person}`)).body.code).toBe('MEMBER_NOT_FOUND')
    // Other members are not affected.
    expect((await validate(world, project, session.token)).status).toBe(200)
  })

  test('a returning person finds nothing of before in their data, and a project that knew them is told', async () => {
    const { db } = world.service.deps
    const told = await db.query<{ projectId: string }>(sql`
      select project_id as "projectId" from outbox where type = 'member.erased' and data ->> 'memberId' = ${person}`)
    expect(told).toContainEqual({ projectId: project.id })
    await expect(givenCode(world, project, person)).rejects.toThrow('access_denied')
    expect((await ask('DELETE', `/members/${person}/block`)).status).toBe(204)
    await givenSession(world, project, person)
    const { body } = await ask('GET', `/members/${person}/data`)
    expect([body.events, body.eventDeliveries]).toEqual([[], []])
  })

  test('no delivery names them once their project has heard of it', async () => {
    const { db } = world.service.deps
    const count = () => countRows(world, `deliveries where member_id = '${person}'`)
    expect(await count()).toBeGreaterThan(1)
    await clean(world)
    expect(await count()).toBeGreaterThan(1)
    await db.execute(sql`update deliveries set delivered_at = clock_now() where member_id = ${person}`)
    await clean(world)
    await clean(world)
    expect(await count()).toBe(0)
  })

  test('a project without a live session is told, by a consent or an ended session; one that never knew them is not', async () => {
    const [ended, consented, stranger] = [
      await givenProject(world),
      await givenProject(world),
      await givenProject(world),
    ]
    const { db } = world.service.deps
    const { token } = await givenSession(world, ended, users.rosa)
    await call(world.url, 'POST', '/api/auth/logout', { key: ended.key, body: { token } })
    await db.execute(sql`delete from outbox where project_id = ${ended.id}`)
    await db.execute(sql`
      insert into oidc_consents (project_id, member_id, scopes) values (${consented.id}, ${users.rosa}, '{openid}')`)
    const readers = await Promise.all([ended, consented, stranger].map((one) => openEvents(world.url, one)))
    expect((await ask('DELETE', `/members/${users.rosa}`)).status).toBe(204)
    for (const reader of readers.slice(0, 2)) {
      expect((await reader.until('member.erased')).data).toMatchObject({ memberId: users.rosa })
    }
    expect(readers[2]?.types()).toEqual([])
    for (const reader of readers) reader.close()
  })

  test('a member who is still in the server comes back as new; a block stays until it is ended', async () => {
    const session = await givenSession(world, project, person)
    const { member } = (await validate(world, project, session.token)).body
    expect(member).toMatchObject({ id: person, preferredName: null })
    expect(Date.parse(member.createdAt)).toBeGreaterThan(Date.now() - 600_000)
  })

  test('an admin cannot erase themselves: the entry needs an author', async () => {
    expect((await ask('DELETE', `/members/${users.mara}`)).body.code).toBe('OWN_ACCOUNT')
    expect((await ask('DELETE', '/members/999999999999999999')).body.code).toBe('MEMBER_NOT_FOUND')
  })
})

/** Normalizes times and numbers, which can be written in several forms. */
function comparable(value: unknown): string {
  const text = String(value)
  return /^\d{4}-\d\d-\d\dT/.test(text) ? new Date(text).toISOString() : text
}

function flatten(value: unknown, into: string[]) {
  if (Array.isArray(value)) for (const one of value) flatten(one, into)
  else if (typeof value === 'object' && value !== null)
    for (const one of Object.values(value)) flatten(one, into)
  else if (value !== null) into.push(comparable(value))
}
