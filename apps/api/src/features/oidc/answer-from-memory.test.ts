import { Agent } from 'node:http'
import { demo } from '@rolecall/chat-sim'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { digestOf, mintToken } from '#platform/crypto/tokens'
import { sql } from '#platform/db/sql'
import { afterRandomActs, leaveAndReturn, often } from '../../../test/answers-from-memory.ts'
import { call } from '../../../test/client.ts'
import { engines, mainEngines } from '../../../test/databases.ts'
import { type FrontRequest, sendPlain } from '../../../test/front-request.ts'
import { type GivenProject, givenAdmin } from '../../../test/given.ts'
import {
  authPath,
  basic,
  givenClient,
  introspect,
  logIn,
  redeem,
  userinfo,
  walk,
} from '../../../test/oidc.ts'
import { repeats } from '../../../test/repeats.ts'
import { startWorld } from '../../../test/service.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const { users, mainGuildId } = demo
const form = 'application/x-www-form-urlencoded'
const browserOrigin = 'https://app.example'

describe.each(engines)('userinfo and introspection from memory and by the library, on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000', RATE_LIMIT_GLOBAL: '0' })
  let admin: string
  const agent = new Agent({ keepAlive: true })
  beforeAll(async () => {
    admin = await givenAdmin(world)
  })
  afterAll(() => agent.destroy())

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
  const given = async (scope?: string, as: string = users.ada, resource?: string): Promise<Known> => {
    const project = await givenClient(world)
    const target = resource === undefined ? {} : { resource }
    const asked = { ...(scope !== undefined && { scope }), ...target }
    const code = (await walk(world, authPath(project, asked), { as })).searchParams.get('code')
    if (code === null) throw new Error(`The login ended without a code: ${JSON.stringify(asked)}`)
    const { status, body } = await redeem(world, project, code, target)
    expect(status).toBe(200)
    const token: string = body.access_token
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
    'the member leaves, and returns': leaveAndReturn(() => world, users.ada),
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
    await afterRandomActs(acts, given, async ({ project, token }) => {
      for (const request of [me(token), introspected(project, token)])
        for (let i = 0; i < 2; i++) if (await compare(request)) fromMemory += 1
    })
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

  test('a replaced key is a secret until its grace period ends', { timeout: 120_000 }, async () => {
    const { project, token } = await given()
    const replaced = await asAdmin('POST', `/projects/${project.id}/regenerate-api-key`, { graceSec: 5 })
    const successor = { ...project, key: replaced.body.apiKey }
    await warm(project, token)
    expect(await compare(introspected(project, token))).toMatchObject({ status: 200 })
    const statusNow = async () => (await atFront(introspected(project, token))).status
    await expect.poll(statusNow, { timeout: 20_000 }).toBe(401)
    expect(await compare(introspected(project, token))).toBeUndefined()
    expect(await compare(introspected(successor, token))).toMatchObject({ status: 200 })
  })

  test('both answer unusual requests the same', { timeout: 180_000 }, async () => {
    const notes = 'https://notes.example/mcp'
    const other = await givenClient(world, { redirectUris: [], oidc: { resources: [notes] } })
    const open = await givenClient(world, {
      ...{ redirectUris: [`${browserOrigin}/back`], oidc: { publicClient: true } },
    })
    const tokens = [
      await given(),
      ...(await Promise.all(['openid', 'openid roles profile', 'openid email'].map((scope) => given(scope)))),
      await given(undefined, users.joon),
      await given(undefined, users.ada, notes),
    ]
    const revoked = await given()
    await ends['the client revokes it']?.[0]?.(revoked)
    const others = [
      'other',
      'public',
      'wrong secret',
      'nobody',
      'form',
      'wrong in form',
      'both',
      'upper case',
      'padded',
    ]
    const plain = {
      at: 'POST /oidc/introspect' as const,
      ...{ of: tokens[0] as Known, spelled: (token: string) => token, scheme: 'Bearer ', type: form },
      ...{ origin: undefined, accept: undefined, more: '', dpop: undefined, encoding: undefined },
    }
    const request = fc.record({
      at: fc.constantFrom('GET /oidc/me', 'POST /oidc/me', 'POST /oidc/introspect'),
      of: fc.constantFrom(...tokens, revoked),
      spelled: often<(token: string) => string>(
        (token) => token,
        () => mintToken('accessToken'),
        (token) => token.slice(0, -1),
        (token) => token.toUpperCase(),
        (token) => `${token} `,
        (token) => `${token} ${token}`,
        (token) => `%72${token.slice(1)}`,
        () => '',
      ),
      scheme: often('Bearer ', 'bearer ', 'Bearer  ', 'DPoP ', 'Basic ', 'Bearer', ''),
      as: often('owner', ...others),
      type: often<string | undefined>(
        form,
        undefined,
        `${form}; charset=utf-8`,
        form.toUpperCase(),
        `${form};charset=latin1`,
        'application/json',
      ),
      origin: often<string | undefined>(undefined, 'https://elsewhere.example', browserOrigin, 'null'),
      accept: fc.constantFrom(undefined, 'text/html', 'application/json'),
      more: often(
        '',
        '&token_type_hint=access_token',
        '&token_type_hint=refresh_token',
        '&token=again',
        '&token_type_hint=',
        '&x=y',
        '&',
        '&scope=openid',
        '&access_token=a',
      ),
      dpop: often<string | undefined>(undefined, 'a-proof'),
      encoding: often<string | undefined>(undefined, 'gzip', 'identity'),
    })
    let fromMemory = 0
    await fc.assert(
      fc.asyncProperty(
        request,
        async ({ at, of, spelled, scheme, as, type, origin, accept, more, dpop, encoding }) => {
          const [method = '', path = ''] = at.split(' ')
          const token = spelled(of.token)
          const { authorization, fields } = credentialsOf(as, of.project, { other, open })
          const isUserinfo = path === '/oidc/me'
          const headers = {
            ...(isUserinfo ? { authorization: scheme + token } : authorization && { authorization }),
            ...(type !== undefined && method === 'POST' && { 'content-type': type }),
            ...(origin !== undefined && { origin }),
            ...(accept !== undefined && { accept }),
            ...(dpop !== undefined && { dpop }),
            ...(encoding !== undefined && { 'content-encoding': encoding }),
          }
          const body = isUserinfo ? more.slice(1) : `token=${token}${fields}${more}`
          if (await compare({ method, path, headers, body: method === 'GET' ? '' : body })) fromMemory += 1
        },
      ),
      {
        numRuns: repeats(400),
        // A random request rarely has nothing unusual but its sender.
        examples: ['owner', ...others].map((as): [typeof plain & { as: string }] => [{ ...plain, as }]),
      },
    )
    expect(fromMemory).toBeGreaterThan(repeats(20))
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

/** The ways in which a client names itself: in a header, or as fields after the token. */
function credentialsOf(
  as: string,
  owner: GivenProject,
  { other, open }: { readonly other: GivenProject; readonly open: GivenProject },
): { readonly authorization?: string; readonly fields: string } {
  const inForm = ({ id, key }: GivenProject) => `&client_id=${id}&client_secret=${key}`
  const wrong = { id: owner.id, key: mintToken('apiKey') }
  switch (as) {
    case 'owner':
      return { ...basic(owner), fields: '' }
    case 'other':
      return { ...basic(other), fields: '' }
    case 'public':
      return { fields: `&client_id=${open.id}` }
    case 'wrong secret':
      return { ...basic(wrong), fields: '' }
    case 'form':
      return { fields: inForm(owner) }
    case 'wrong in form':
      return { fields: inForm(wrong) }
    case 'both':
      return { ...basic(owner), fields: inForm(owner) }
    case 'upper case':
      return { ...basic({ ...owner, id: owner.id.toUpperCase() }), fields: '' }
    case 'padded':
      return { authorization: `${basic(owner).authorization}=`, fields: '' }
    default:
      return { fields: '' }
  }
}
