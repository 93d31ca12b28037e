import { Agent } from 'node:http'
import { demo } from '@rolecall/chat-sim'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { digestOf } from '#platform/crypto/tokens'
import { sql } from '#platform/db/sql'
import { call } from '../../../test/client.ts'
import { engines, mainEngines } from '../../../test/databases.ts'
import { type FrontRequest, sendPlain } from '../../../test/front-request.ts'
import { type GivenProject, givenAdmin } from '../../../test/given.ts'
import { basic, givenClient, introspect, logIn, userinfo } from '../../../test/oidc.ts'
import { startWorld, type World } from '../../../test/service.ts'

const { users, mainGuildId } = demo
const form = 'application/x-www-form-urlencoded'

describe.each(engines)('userinfo and introspection from memory and by the library, on %s', (engine) => {
  let world: World
  let admin: string
  const agent = new Agent({ keepAlive: true })
  beforeAll(async () => {
    world = await startWorld(engine, { PERMISSION_TTL_MS: '3600000', RATE_LIMIT_GLOBAL: '0' })
    admin = await givenAdmin(world)
  })
  afterAll(async () => {
    agent.destroy()
    await world.close()
  })

  const asAdmin = (method: string, path: string, body?: object) =>
    call(world.url, method, `/api/admin${path}`, { token: admin, ...(body && { body }) })
  const atFront = (request: FrontRequest) => sendPlain(agent, world.url, request)
  /** Sends the request to the library: only the exact address gets a response before the framework. */
  const byLibrary = (request: FrontRequest) => atFront({ ...request, path: `${request.path}?` })
  /** Compares both responses, and returns the one that was made without a read of tokens or clients. */
  const compare = async (request: FrontRequest) => {
    let front: Awaited<ReturnType<typeof atFront>> | undefined
    const statements = await world.service.statementsOf(async () => {
      front = await atFront(request)
    })
    expect(front).toEqual(await byLibrary(request))
    return statements.some((text) => text.includes('oidc_')) ? undefined : front
  }

  const me = (token: string): FrontRequest => ({
    method: 'GET',
    path: '/oidc/me',
    headers: { authorization: `Bearer ${token}` },
  })
  const introspected = (project: GivenProject, token: string): FrontRequest => ({
    ...{ method: 'POST', path: '/oidc/introspect', body: `token=${token}` },
    headers: { ...basic(project), 'content-type': form },
  })

  /** Sends both requests twice, so that everything that can be cached is cached. */
  const warm = async (project: GivenProject, token: string) => {
    for (let i = 0; i < 2; i++) {
      await userinfo(world, token)
      await introspect(world, project, token)
    }
  }

  test('requests as clients send them are answered from memory', async () => {
    const project = await givenClient(world)
    const { access_token: token } = await logIn(world, project)
    await warm(project, token)
    const { id, key } = project
    const asked: FrontRequest[] = [
      me(token),
      { ...me(token), method: 'POST' },
      { ...me(token), headers: { authorization: `bearer ${token}`, cookie: 'a=b', accept: 'text/html' } },
      introspected(project, token),
      { ...introspected(project, token), body: `token=${token}&token_type_hint=access_token` },
      {
        ...introspected(project, token),
        headers: { 'content-type': `${form};charset=UTF-8` },
        body: `client_id=${id}&client_secret=${key}&token=${token}`,
      },
    ]
    for (const request of asked) expect(await compare(request)).toMatchObject({ status: 200 })
    expect(JSON.parse((await atFront(me(token))).body)).toMatchObject({
      sub: users.ada,
      server_id: mainGuildId,
    })
    expect(JSON.parse((await atFront(introspected(project, token))).body)).toMatchObject({
      ...{ active: true, client_id: id, sub: users.ada, token_type: 'Bearer', username: 'ada.osei' },
    })
  })

  interface Known {
    readonly project: GivenProject
    readonly token: string
  }
  /** Signs in at a new client, and caches the tokens before anything happens to them. */
  const given = async (): Promise<Known> => {
    const project = await givenClient(world)
    const { access_token: token } = await logIn(world, project)
    await warm(project, token)
    return { project, token }
  }

  type Step = (known: Known) => Promise<unknown>
  const patch =
    (body: object): Step =>
    ({ project }) =>
      asAdmin('PATCH', `/projects/${project.id}`, body)
  const execute = (statement: ReturnType<typeof sql>) => world.service.deps.db.execute(statement)
  const write =
    (statement: ReturnType<typeof sql>): Step =>
    () =>
      execute(statement)
  const ends: Readonly<Record<string, readonly Step[]>> = {
    'the client revokes it': [
      ({ project, token }) => atFront({ ...introspected(project, token), path: '/oidc/revoke' }),
    ],
    'the project ends all sessions of the member': [
      ({ project }) =>
        call(world.url, 'POST', '/api/auth/logout-all', { key: project.key, body: { memberId: users.ada } }),
    ],
    'the key is revoked': [({ project }) => asAdmin('DELETE', `/projects/${project.id}/key`)],
    'the key is replaced': [({ project }) => asAdmin('POST', `/projects/${project.id}/regenerate-api-key`)],
    'the project is switched off, and on': [patch({ isActive: false }), patch({ isActive: true })],
    'the client is switched off, and on': [
      patch({ oidc: { enabled: false } }),
      patch({ oidc: { enabled: true } }),
    ],
    'the client becomes public, and is not': [
      patch({ oidc: { publicClient: true } }),
      patch({ oidc: { publicClient: false } }),
    ],
    'the project is deleted': [({ project }) => asAdmin('DELETE', `/projects/${project.id}`)],
    'its record expires': [
      ({ token }) =>
        execute(sql`
          update oidc_records set expires_at = clock_now() - interval '1 second'
          where digest = ${digestOf(`AccessToken ${token}`)}`),
    ],
    'the member is blocked, and is not': [
      () => asAdmin('PUT', `/members/${users.ada}/block`, { reason: 'a test' }),
      () => asAdmin('DELETE', `/members/${users.ada}/block`),
    ],
  }
  const changes: Readonly<Record<string, readonly Step[]>> = {
    'a name': [
      write(sql`update members set username = username || 'x', global_name = null where id = ${users.ada}`),
    ],
    'an address': [write(sql`update members set email = null where id = ${users.ada}`)],
    'a nickname': [write(sql`update memberships set nick = 'Skipper "A"' where member_id = ${users.ada}`)],
    'the roles of the member': [
      write(sql`update memberships set role_ids = '{}' where member_id = ${users.ada}`),
      write(
        sql`update memberships set role_ids = ${Object.values(demo.roles)}::text[] where member_id = ${users.ada}`,
      ),
    ],
    'the name of a role': [write(sql`update roles set name = name || 'x' where id = ${demo.roles.crew}`)],
    'the name of a group': [
      ({ project }) =>
        execute(sql`
          update projects set group_names = ${JSON.stringify({ [demo.roles.crew]: 'sailors' })}::jsonb
          where id = ${project.id}`),
    ],
    'the main server': [
      write(sql`update servers set is_main = false where id = ${mainGuildId}`),
      write(sql`update servers set is_main = true where id = ${mainGuildId}`),
    ],
  }
  const acts = { ...ends, ...changes }

  test('after any changes, both answer the same on the next request', { timeout: 180_000 }, async () => {
    let fromMemory = 0
    const runs = fc.array(fc.constantFrom(...Object.keys(acts)), { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(runs, async (names) => {
        const known = await given()
        for (const step of names.flatMap((name) => acts[name] ?? [])) {
          await step(known)
          for (const request of [me(known.token), introspected(known.project, known.token)])
            for (let i = 0; i < 2; i++) if (await compare(request)) fromMemory += 1
        }
      }),
      { numRuns: 15, examples: Object.keys(acts).map((name) => [[name]]) },
    )
    expect(fromMemory).toBeGreaterThan(10)
  })

  test('after an end, nothing is answered from memory', { timeout: 120_000 }, async () => {
    for (const [name, steps] of Object.entries(ends)) {
      const known = await given()
      expect(await compare(me(known.token)), name).toMatchObject({ status: 200 })
      await steps[0]?.(known)
      expect(await compare(introspected(known.project, known.token)), name).toBeUndefined()
      for (const step of steps.slice(1)) await step(known)
    }
  })
})

describe.each(mainEngines)('the rate limit of userinfo, on %s', (engine) => {
  test('counts what memory answers and what the library answers for the same address', async () => {
    const limit = 60
    const world = await startWorld(engine, {
      ...{ PERMISSION_TTL_MS: '3600000', TRUST_PROXY: '127.0.0.1,::1' },
      ...{ RATE_LIMIT_GLOBAL: String(limit), RATE_LIMIT_GLOBAL_TTL_MS: '3600000' },
    })
    const agent = new Agent({ keepAlive: true })
    try {
      const { access_token: token } = await logIn(world, await givenClient(world))
      const ask = async (path: string, address = '203.0.113.9') => {
        const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': `198.51.100.7, ${address}` }
        return (await sendPlain(agent, world.url, { method: 'GET', path, headers })).status
      }
      for (let i = 0; i < limit; i++) expect(await ask(i % 3 === 0 ? '/oidc/me?' : '/oidc/me')).toBe(200)
      expect([await ask('/oidc/me'), await ask('/oidc/me?')]).toEqual([429, 429])
      expect(await ask('/oidc/me', '203.0.113.10')).toBe(200)
    } finally {
      agent.destroy()
      await world.close()
    }
  })
})
