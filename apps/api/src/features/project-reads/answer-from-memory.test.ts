import { Agent } from 'node:http'
import { demo } from '@rolecall/chat-sim'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Sql, sql } from '#platform/db/sql'
import { afterRandomActs, leaveAndReturn, often, readMembership } from '../../../test/answers-from-memory.ts'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { type FrontRequest, sendPlain } from '../../../test/front-request.ts'
import { type GivenProject, givenAdmin, givenProject, givenSession, validate } from '../../../test/given.ts'
import { repeats } from '../../../test/repeats.ts'
import { type Service, startWorld } from '../../../test/service.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const { users, roles, mainGuildId: server } = demo
const ttlMs = 3_600_000
const json = 'application/json'
const membersPath = `/api/servers/${server}/members`
const checkPath = `/api/servers/${server}/permissions/check`
const base = { PERMISSION_TTL_MS: String(ttlMs), RATE_LIMIT_GLOBAL: '0' }

/** Sends requests on connections that stay open, as clients of a project do. */
function useAgent() {
  const agent = new Agent({ keepAlive: true })
  afterAll(() => agent.destroy())
  return (url: string, request: FrontRequest) => sendPlain(agent, url, request)
}

const read = ({ key }: GivenProject, memberId: string = users.ada): FrontRequest => ({
  ...{ method: 'GET', path: `${membersPath}/${memberId}`, headers: { 'x-api-key': key } },
})
const check = ({ key }: GivenProject, body: object = {}): FrontRequest => ({
  ...{ method: 'POST', path: checkPath, headers: { 'x-api-key': key, 'content-type': json } },
  body: JSON.stringify({ memberId: users.ada, ...body }),
})
/** The same request, which only the framework answers: memory answers only the exact address. */
const toFramework = (request: FrontRequest): FrontRequest => ({ ...request, path: `${request.path}?` })

describe.each(mainEngines)('one member and one check, from memory and by the framework, on %s', (engine) => {
  let instances: Service[]
  let admin: string
  const send = useAgent()
  const world = worldForTests(engine, base)
  beforeAll(async () => {
    // Only one process can open the folder of the embedded engine.
    instances = engine === 'postgres' ? [world.service, await world.another()] : [world.service]
    admin = await givenAdmin(world)
    for (const as of [users.ada, users.joon]) await givenSession(world, await givenProject(world), as)
  })

  const asAdmin = (method: string, path: string, body?: object) =>
    call(world.url, method, `/api/admin${path}`, { token: admin, ...(body && { body }) })
  const execute = (statement: Sql) => world.service.deps.db.execute(statement)

  /** Compares both responses of every instance. Returns those that were made without a statement about them. */
  const compare = async (request: FrontRequest) => {
    const fromMemory: Awaited<ReturnType<typeof send>>[] = []
    for (const { url, statementsOf } of instances) {
      let front: Awaited<ReturnType<typeof send>> | undefined
      const texts = await statementsOf(async () => {
        front = await send(url, request)
      })
      expect(front).toEqual(await send(url, toFramework(request)))
      const isRead = texts.some((text) => /memberships|server_access|working_keys|member_blocks/.test(text))
      if (front && !isRead) fromMemory.push(front)
    }
    return fromMemory
  }
  /** Sends both requests twice to every instance, so that everything that can be cached is cached. */
  const warm = async (project: GivenProject) => {
    for (const { url } of instances)
      for (const request of [read(project), check(project), read(project)]) await send(url, request)
  }
  const given = async (input?: Parameters<typeof givenProject>[1]) => {
    const project = await givenProject(world, input)
    await warm(project)
    return project
  }

  test('requests as clients send them are answered from memory, and the member needs no session', async () => {
    const project = await given()
    await execute(sql`delete from sessions where member_id = ${users.ada}`)
    await warm(project)
    for (const request of [
      read(project),
      check(project),
      check(project, { anyOf: [roles.crew], allOf: [roles.crew] }),
      check(project, { anyOf: [roles.captain] }),
      { ...check(project), body: ` { "memberId" :\n"${users.ada}" } ` },
      { ...read(project), headers: { 'x-api-key': project.key, cookie: 'a=b', origin: 'https://a.example' } },
    ]) {
      expect(await compare(request)).toMatchObject(instances.map(() => ({ status: 200 })))
    }
    expect(JSON.parse((await send(world.url, read(project))).body)).toMatchObject({
      ...{ memberId: users.ada, username: 'ada.osei' },
      roles: [{ roleId: roles.crew, roleName: 'Crew' }],
    })
    const allowed = async (body: object) => JSON.parse((await send(world.url, check(project, body))).body)
    expect(await allowed({ anyOf: [roles.crew] })).toMatchObject({ allowed: true, isMember: true })
    expect(await allowed({ allOf: [roles.crew, roles.captain] })).toMatchObject({ allowed: false })
  })

  test('a member with a cached session is checked without a read of the member', async () => {
    const project = await givenProject(world)
    const { token } = await givenSession(world, project)
    for (const { url } of instances) {
      // The first check caches the scope.
      await send(url, check(project, { memberId: users.joon }))
      await validate({ url }, project, token)
    }
    await execute(sql`update memberships set nick = 'again' where member_id = ${users.ada}`)
    await world.service.deps.answers.confirm()
    for (const { url } of instances) await validate({ url }, project, token)
    // A statement of the background, such as the first sync, may be counted once.
    await expect.poll(() => compare(check(project))).toMatchObject(instances.map(() => ({ status: 200 })))
  })

  type Step = (project: GivenProject) => Promise<unknown>
  const write =
    (statement: Sql): Step =>
    () =>
      execute(statement)
  const map =
    (scopes: string[]): Step =>
    ({ id }) =>
      asAdmin('PUT', `/projects/${id}/servers/${server}`, { scopes })
  const all = ['read_members', 'check_permissions']
  const acts: Readonly<Record<string, readonly Step[]>> = {
    'a name': [write(sql`update members set username = username || 'x' where id = ${users.ada}`)],
    'a name that JSON escapes': [
      write(sql`update members set global_name = ${'"\\ \u2028\u{1f600}\n<'} where id = ${users.ada}`),
    ],
    'a nickname': [write(sql`update memberships set nick = 'Skipper "A"' where member_id = ${users.ada}`)],
    'a join date': [
      write(sql`update memberships set joined_at = clock_now() where member_id = ${users.ada}`),
      write(sql`update memberships set joined_at = null where member_id = ${users.ada}`),
    ],
    'the roles of the member': [
      write(sql`update memberships set role_ids = '{}' where member_id = ${users.ada}`),
      write(
        sql`update memberships set role_ids = ${Object.values(roles)}::text[] where member_id = ${users.ada}`,
      ),
    ],
    'the name of a role': [write(sql`update roles set name = name || 'x' where id = ${roles.crew}`)],
    'the order of the roles': [write(sql`update roles set position = 100 - position`)],
    'a deleted role': [
      write(sql`delete from roles where id = ${roles.steward}`),
      write(sql`insert into roles (server_id, id, name, color, position)
        values (${server}, ${roles.steward}, 'Steward', 0, 3)`),
    ],
    'a scope': [map(['read_members']), map(['check_permissions']), map(all)],
    'the access': [({ id }) => asAdmin('DELETE', `/projects/${id}/servers/${server}`), map(all)],
    'the key is revoked': [({ id }) => asAdmin('DELETE', `/projects/${id}/key`)],
    'the key is replaced': [({ id }) => asAdmin('POST', `/projects/${id}/regenerate-api-key`)],
    'the project is switched off, and on': [
      ({ id }) => asAdmin('PATCH', `/projects/${id}`, { isActive: false }),
      ({ id }) => asAdmin('PATCH', `/projects/${id}`, { isActive: true }),
    ],
    'the project is deleted': [({ id }) => asAdmin('DELETE', `/projects/${id}`)],
    'the member is blocked, and is not': [
      () => asAdmin('PUT', `/members/${users.ada}/block`, { reason: 'a test' }),
      () => asAdmin('DELETE', `/members/${users.ada}/block`),
    ],
    'the member leaves, and returns': leaveAndReturn(() => world, users.ada),
    'the membership is deleted': [
      write(sql`delete from memberships where server_id = ${server} and member_id = ${users.ada}`),
      () => readMembership(world, users.ada),
    ],
    'the server is removed, and is not': [
      write(sql`update servers set removed_at = clock_now() where id = ${server}`),
      write(sql`update servers set removed_at = null where id = ${server}`),
    ],
    'the gateway vouches, and does not': [
      write(sql`
        update servers set live_as_of = clock_now(), live_until = clock_now() + interval '1 hour' where id = ${server}`),
      write(sql`update servers set live_as_of = null, live_until = null where id = ${server}`),
    ],
  }

  test('after any changes, both answer the same on the next request', { timeout: 180_000 }, async () => {
    let fromMemory = 0
    await afterRandomActs(acts, given, async (project) => {
      await world.service.deps.answers.confirm()
      const asked = [read(project), check(project, { anyOf: [roles.crew, roles.captain] })]
      for (const request of asked) fromMemory += (await compare(request)).length
      await agreeWithDatabase(project)
      for (const request of asked) fromMemory += (await compare(request)).length
    })
    expect(fromMemory).toBeGreaterThan(20)
  })

  /** A check by the framework uses the same memory, so its roles are compared with those of the member's row. */
  const agreeWithDatabase = async (project: GivenProject) => {
    const row = await world.service.deps.db.maybeOne<{ roleIds: string[]; isBlocked: boolean }>(sql`
      select array(select r.id from roles r where r.server_id = m.server_id and r.id = any (m.role_ids)
          order by r.position desc, r.id) as "roleIds",
        exists (select from member_blocks b
          where b.member_id = m.member_id and (b.until is null or b.until > clock_now())) as "isBlocked"
      from memberships m where m.server_id = ${server} and m.member_id = ${users.ada} and m.left_at is null`)
    for (const { url } of instances) {
      const { status, body } = await send(url, check(project))
      if (status !== 200 || !row) continue
      const said = JSON.parse(body)
      expect(said.roles.map(({ roleId }: { roleId: string }) => roleId)).toEqual(row.roleIds)
      expect(said).toMatchObject({ allowed: !row.isBlocked, isMember: true })
    }
  }

  test('an internal project needs no access to the main server, and explicit access limits it', async () => {
    const project = await given({ isInternal: true, serverIds: [] })
    const codes = async () => {
      const found = []
      for (const request of [read(project), check(project)]) {
        await compare(request)
        found.push((await send(world.url, request)).status)
      }
      return found
    }
    expect(await codes()).toEqual([200, 200])
    await map(['read_members'])(project)
    expect(await codes()).toEqual([200, 403])
    await asAdmin('DELETE', `/projects/${project.id}/servers/${server}`)
    expect(await codes()).toEqual([200, 200])
  })

  test('roles that grow too old in memory are requested again', async () => {
    const project = await givenProject(world)
    await execute(sql`
      update memberships set synced_at = clock_now() - ${`${ttlMs - 1_500} milliseconds`}::interval
      where member_id = ${users.joon}`)
    await world.service.deps.answers.confirm()
    const requested = () => world.sim.journal.count('member')
    const before = requested()
    for (let i = 0; i < 3; i++) expect((await send(world.url, read(project, users.joon))).status).toBe(200)
    expect(requested()).toBe(before)
    await new Promise((resolve) => setTimeout(resolve, 1_600))
    expect((await send(world.url, read(project, users.joon))).status).toBe(200)
    expect(requested()).toBe(before + 1)
  })

  test('both answer unusual requests the same', { timeout: 180_000 }, async () => {
    const project = await given()
    const reader = await givenProject(world)
    const stranger = await givenProject(world, { serverIds: [] })
    await map(['read_members'])(reader)
    const escaped = (text: string) => `%3${text[0]}${text.slice(1)}`
    const request = fc.record({
      method: often('GET', 'POST', 'PUT', 'DELETE'),
      isCheck: fc.boolean(),
      serverId: often(
        server,
        '1100000000000000009',
        '1',
        'x',
        '',
        escaped(server),
        `${server}.`,
        '{serverId}',
      ),
      memberId: often<string>(
        users.ada,
        '1',
        '0',
        '',
        escaped(users.ada),
        `${users.ada}/`,
        users.ada.slice(1),
      ),
      key: often<string | string[] | undefined>(
        project.key,
        reader.key,
        stranger.key,
        undefined,
        'rck_x',
        project.key.toLowerCase(),
        [project.key, project.key],
      ),
      type: often<string | undefined>(json, 'Application/JSON; charset=utf-8', 'text/plain', undefined),
      encoding: often<string | undefined>(undefined, 'identity', 'gzip'),
      body: often<(memberId: string) => string>(
        (memberId) => JSON.stringify({ memberId }),
        (memberId) => JSON.stringify({ memberId, anyOf: [roles.crew] }),
        (memberId) => JSON.stringify({ memberId, anyOf: [roles.captain], allOf: [roles.crew] }),
        (memberId) => JSON.stringify({ memberId, anyOf: [] }),
        (memberId) => JSON.stringify({ memberId, anyOf: 'x', more: 1 }),
        (memberId) => JSON.stringify({ memberId, allOf: [1e30] }),
        (memberId) => `{"memberId":"${memberId}","memberId":"${memberId}"}`,
        (memberId) => `{"memberId":"\\u003${memberId[0]}${memberId.slice(1)}"}`,
        (memberId) => `{"memberId":"${memberId}","__proto__":{}}`,
        (memberId) => `{"memberId":${memberId || 1}}`,
        () => '[]',
        () => '{',
        () => '',
      ),
      accept: often<string | undefined>(undefined, 'text/html'),
    })
    let fromMemory = 0
    await fc.assert(
      fc.asyncProperty(request, async (one) => {
        const { isCheck, serverId, memberId, key, type, encoding, accept } = one
        const isPost = isCheck ? one.method === 'GET' : one.method === 'POST'
        const method = one.method === 'GET' || one.method === 'POST' ? (isPost ? 'POST' : 'GET') : one.method
        const path = `/api/servers/${serverId}/${isCheck ? 'permissions/check' : `members/${memberId}`}`
        const headers = {
          ...(key !== undefined && { 'x-api-key': key }),
          ...(type !== undefined && method === 'POST' && { 'content-type': type }),
          ...(encoding !== undefined && { 'content-encoding': encoding }),
          ...(accept !== undefined && { accept }),
        }
        const body = method === 'POST' ? one.body(memberId) : ''
        fromMemory += (await compare({ method, path, headers, body })).filter(
          ({ status }) => status === 200,
        ).length
      }),
      { numRuns: repeats(400) },
    )
    expect(fromMemory).toBeGreaterThan(repeats(20))
  })
})

describe.each(mainEngines)('the rate limit of project reads, on %s', (engine) => {
  const send = useAgent()
  test('counts what memory answers and what the framework answers for the same key', async () => {
    const limit = 60
    const world = await startWorld(engine, {
      ...{ ...base, RATE_LIMIT_GLOBAL: String(limit), RATE_LIMIT_GLOBAL_TTL_MS: '3600000' },
    })
    try {
      await givenSession(world, await givenProject(world))
      const [project, other] = [await givenProject(world), await givenProject(world)]
      const ask = async (request: FrontRequest) => (await send(world.url, request)).status
      const turns = [read(project), check(project), toFramework(read(project)), toFramework(check(project))]
      for (let i = 0; i < limit; i++) expect(await ask(turns[i % 4] as FrontRequest)).toBe(200)
      for (const request of turns) expect(await ask(request)).toBe(429)
      expect(await ask(read(other))).toBe(200)
    } finally {
      await world.close()
    }
  })
})
