import { createServer } from 'node:http'
import { inspect } from 'node:util'
import { demo } from '@rolecall/chat-sim'
import { mintLogin, Rolecall, RolecallError } from '@rolecall/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { redirectUri, walkLogin } from '../../../apps/api/test/given.ts'
import { projectForTests, worldForTests } from '../../../apps/api/test/world-for-tests.ts'
import { whileCollecting } from '../../../tools/collect-garbage.ts'
import { freePort } from '../../../tools/free-port.js'

/** Has the form of a session token: for other values the client sends no request. */
const anyToken = `rcs_${'a'.repeat(49)}`

const world = worldForTests('pglite', { PERMISSION_TTL_MS: '0' })
const project = projectForTests(world)
let rolecall: Rolecall

beforeAll(async () => {
  rolecall = new Rolecall({ baseUrl: world.url, apiKey: project.key })
})

/** Signs in at the URL that the library returns, up to the code. */
async function givenCode(as: string = demo.users.ada) {
  const login = mintLogin()
  const terms = { clientId: project.id, redirectUri }
  const url = new URL(await rolecall.authorizeUrl({ ...terms, ...login, serverId: demo.mainGuildId }))
  const end = await walkLogin(world, url.pathname + url.search, { as })
  expect(end.searchParams.get('state')).toBe(login.state)
  return { ...terms, code: end.searchParams.get('code') ?? '', codeVerifier: login.codeVerifier }
}

const givenSession = async (as?: string) => rolecall.exchange(await givenCode(as))

const refusal = async (call: Promise<unknown>): Promise<RolecallError> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof RolecallError)) throw new Error(`No RolecallError, but ${inspect(error)}`)
  return error
}

describe('a login', () => {
  test('ends in a session with member and roles, bound by PKCE', async () => {
    const session = await givenSession()
    expect(session).toMatchObject({
      token: expect.stringMatching(/^rcs_/),
      refreshToken: expect.stringMatching(/^rcr_/),
      member: { id: demo.users.ada, username: 'ada.osei' },
      roles: [{ roleId: demo.roles.crew, roleName: 'Crew' }],
    })
  })

  test('without the verifier of its PKCE is refused with a code to switch on', async () => {
    const { codeVerifier: _, ...request } = await givenCode()
    const error = await refusal(rolecall.exchange(request))
    expect(error).toMatchObject({ status: 400, code: 'CHALLENGE_WITHOUT_VERIFIER', errors: [] })
    expect(error.requestId).toBeTruthy()
  })

  test('by single sign-on starts at its own address', async () => {
    const url = await rolecall.authorizeUrl({
      clientId: project.id,
      redirectUri,
      serverId: demo.mainGuildId,
      state: 's',
      sso: true,
    })
    expect(url).toMatch(`${world.url}/api/auth/sso/authorize?client_id=`)
    expect(url).not.toContain('code_challenge')
  })

  test('sends the service any user agent of the browser that it acts for', async () => {
    const client = { ip: '203.0.113.9', userAgent: 'Boat\nBrowser ⛵ 1.0' }
    const { token } = await rolecall.exchange({ ...(await givenCode(demo.users.piper)), client })
    const [session] = await rolecall.sessions(token)
    expect(session?.clientInfo).toEqual({ ipAddress: '203.0.113.9', userAgent: 'BoatBrowser  1.0' })
  })

  test('mints secrets that RFC 7636 accepts and that never repeat', () => {
    const logins = Array.from({ length: 100 }, mintLogin)
    for (const { state, codeVerifier } of logins) {
      expect(state).toMatch(/^[A-Za-z0-9_-]{43}$/)
      expect(codeVerifier).toMatch(/^[A-Za-z0-9_-]{43}$/)
    }
    expect(new Set(logins.flatMap(Object.values)).size).toBe(200)
  })
})

describe('validate', () => {
  test('answers the member and the roles they hold now', async () => {
    const { token } = await givenSession(demo.users.tomas)
    const { roles: before } = (await rolecall.validate(token)) ?? {}
    expect(before?.map(({ roleName }) => roleName)).toEqual(['Deckhand', 'Starboard watch'])
    world.sim.world.updateMember(demo.mainGuildId, demo.users.tomas, { roles: [demo.roles.captain] })
    const { roles, rolesSource } = (await rolecall.validate(token)) ?? {}
    expect(roles?.map(({ roleName }) => roleName)).toEqual(['Captain'])
    expect(rolesSource).toBe('rest')
  })

  test.each([
    ['an unknown token', `rcs_${'a'.repeat(49)}`],
    ['no token', undefined],
    ['an empty token', ''],
    ['a token that is far too long', 'x'.repeat(10_000)],
    ['a token of anything but letters', '\u0000\ud800⛵'],
  ])('answers undefined for %s', async (_, token) => {
    expect(await rolecall.validate(token)).toBeUndefined()
  })

  test('rejects a bad key rather than calling everyone logged out', async () => {
    const { token } = await givenSession()
    const stranger = new Rolecall({ baseUrl: world.url, apiKey: 'rck_nobody' })
    expect(await refusal(stranger.validate(token))).toMatchObject({ status: 401, code: 'INVALID_API_KEY' })
  })
})

describe('sessions', () => {
  test('are listed newest first, without tokens, and revoked one by one', async () => {
    const first = await givenSession(demo.users.joon)
    const second = await givenSession(demo.users.joon)
    const all = await rolecall.sessions(second.token)
    // Each of the two browsers has a single sign-on session, too.
    expect(all.map(({ kind }) => kind).sort()).toEqual(['project', 'project', 'sso', 'sso'])
    const listed = all.filter(({ kind }) => kind === 'project')
    expect(inspect(all, { depth: 9 })).not.toMatch(/rc[sr]_/)
    const mine = (await rolecall.validate(second.token))?.session.id
    expect(listed[0]?.id).toBe(mine)
    await rolecall.revokeSession(second.token, listed[1]?.id ?? '')
    expect(await rolecall.validate(first.token)).toBeUndefined()
    expect(await rolecall.validate(second.token)).toBeDefined()
  })

  test('of others are as unknown as none, and an id is never taken for a path', async () => {
    const { token } = await givenSession()
    for (const id of ['0199d2a0-0000-7000-8000-000000000000', '../logout', 'a/b?c']) {
      expect((await refusal(rolecall.revokeSession(token, id))).status).toBe(404)
    }
    for (const id of ['.', '..'])
      await expect(rolecall.revokeSession(token, id)).rejects.toThrow('is not a valid ID')
  })

  test('end for one token by logout, and for all of a member by logoutAll', async () => {
    const [one, two, three] = [await givenSession(), await givenSession(), await givenSession()]
    await rolecall.logout(one.token)
    await rolecall.logout(one.token)
    expect(await rolecall.validate(one.token)).toBeUndefined()
    expect(await rolecall.validate(two.token)).toBeDefined()
    await rolecall.logoutAll(two.member.id)
    expect(await rolecall.validate(two.token)).toBeUndefined()
    expect(await rolecall.validate(three.token)).toBeUndefined()
  })

  test('are refreshed into a pair of the same shape; the old one is dead, a second try is told so', async () => {
    const session = await givenSession()
    const next = await rolecall.refresh(session)
    expect(await rolecall.validate(session.token)).toBeUndefined()
    expect(await rolecall.validate(next.token)).toMatchObject({ session: { expiresAt: next.expiresAt } })
    expect((await refusal(rolecall.refresh(session))).code).toBe('REFRESH_TOKEN_SUPERSEDED')
    expect((await rolecall.refresh(next)).token).not.toBe(next.token)
  })

  test('of a token that no header could carry are refused like those of any bad token', async () => {
    expect((await refusal(rolecall.sessions('line\nbreak ⛵'))).code).toBe('INVALID_TOKEN')
  })
})

describe('an error', () => {
  test('names every problem of the request at once', async () => {
    const call = rolecall.exchange({ clientId: '', code: '', redirectUri: 'x', codeVerifier: 'short' })
    const error = await refusal(call)
    expect(error).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' })
    expect(error.errors.map(({ path }) => path).sort()).toEqual(['/clientId', '/code', '/codeVerifier'])
    expect(error.message).toContain('/codeVerifier')
  })

  test('never carries the key or a token, and neither does the client', async () => {
    const { token, refreshToken } = await givenSession()
    await rolecall.logout(token)
    const error = await refusal(rolecall.refresh({ token, refreshToken }))
    const shown = inspect([error, error.stack, rolecall], { depth: 9, showHidden: true })
    for (const secret of [project.key, token, refreshToken]) expect(shown).not.toContain(secret)
  })

  test('says that nothing listens at an address', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`
    const nowhere = new Rolecall({ baseUrl, apiKey: project.key })
    const error = await refusal(nowhere.validate(anyToken))
    expect(error).toMatchObject({ code: 'NETWORK_ERROR', status: undefined })
    expect(error.detail).toBe(`${baseUrl} cannot be reached (ECONNREFUSED).`)
  })

  test('says that something else answers there: a page, a redirect, JSON of another kind', async () => {
    const answers: [number, Record<string, string>, string][] = [
      [200, { 'content-type': 'text/html' }, '<h1>Hello</h1>'],
      [302, { location: 'https://elsewhere.example/' }, ''],
      [502, { 'content-type': 'text/html' }, '<h1>Bad gateway</h1>'],
      [500, { 'content-type': 'application/json' }, '{"error":"no"}'],
    ]
    for (const [status, headers, body] of answers) {
      const other = await startOther((reply) => reply.writeHead(status, headers).end(body))
      const error = await refusal(new Rolecall({ baseUrl: other.url, apiKey: 'k' }).validate(anyToken))
      expect(error).toMatchObject({ code: 'UNEXPECTED_RESPONSE', status })
      await other.close()
    }
  })

  test('carries how long to wait', async () => {
    const other = await startOther((reply) =>
      reply
        .writeHead(429, { 'content-type': 'application/problem+json', 'retry-after': '7' })
        .end('{"code":"RATE_LIMITED","detail":"Slow down.","requestId":"r1"}'),
    )
    const error = await refusal(new Rolecall({ baseUrl: other.url, apiKey: 'k' }).validate(anyToken))
    expect(error).toMatchObject({ code: 'RATE_LIMITED', status: 429, retryAfterSec: 7, requestId: 'r1' })
    await other.close()
  })
})

describe('a call that takes too long', () => {
  test('ends at the timeout of the client, or of the call, even in the middle of a body', async () => {
    const other = await startOther((reply) => reply.writeHead(200).write('{'))
    const client = new Rolecall({ baseUrl: other.url, apiKey: 'k', timeoutMs: 40 })
    expect((await refusal(client.validate(anyToken))).code).toBe('TIMEOUT')
    const error = await refusal(client.validate(anyToken, { timeoutMs: 20 }))
    expect(error.detail).toBe(`${other.url} did not respond within 20 ms.`)
    await other.close()
  })

  test('ends in the middle of a body also when garbage was collected meanwhile', async () => {
    const other = await startOther((reply) => reply.writeHead(200).write('{'))
    const client = new Rolecall({ baseUrl: other.url, apiKey: 'k', timeoutMs: 500 })
    const calls = Promise.all(Array.from({ length: 20 }, () => refusal(client.validate(anyToken))))
    const refusals = await whileCollecting(20, calls)
    expect(refusals.map(({ code }) => code)).toEqual(Array(20).fill('TIMEOUT'))
    await other.close()
  })

  test('ends with the reason of the caller’s own signal', async () => {
    const other = await startOther(() => {})
    const client = new Rolecall({ baseUrl: other.url, apiKey: 'k' })
    const abort = new AbortController()
    const call = client.validate(anyToken, { signal: abort.signal })
    abort.abort(new Error('the visitor left'))
    await expect(call).rejects.toThrow('the visitor left')
    await expect(client.validate(anyToken, { signal: AbortSignal.abort() })).rejects.toThrow(/aborted/)
    await other.close()
  })
})

describe('a client', () => {
  test('refuses to be made without a key or an address', () => {
    const missing = undefined as unknown as string
    expect(() => new Rolecall({ baseUrl: world.url, apiKey: missing })).toThrow('apiKey is missing')
    for (const [apiKey, message] of [
      ['rck_x\n', /^apiKey ends with a space or a line break\. Remove it, for example with trim\(\)\.$/],
      ['rck_\nx', /^apiKey must be the key of a project, rck_…, without spaces or line breaks\.$/],
    ] as const) {
      expect(() => new Rolecall({ baseUrl: world.url, apiKey })).toThrow(message)
    }
    for (const baseUrl of ['https://rolecall.example/api', 'https://rolecall.example/id/api/']) {
      expect(() => new Rolecall({ baseUrl, apiKey: 'k' })).toThrow(/^baseUrl must not end with \/api/)
    }
    for (const baseUrl of ['rolecall.example', 'ftp://rolecall.example', 'https://', 'https://a b']) {
      expect(() => new Rolecall({ baseUrl, apiKey: 'k' })).toThrow(/^baseUrl must be an address/)
    }
  })

  test('takes a base address with a path, with or without its slash', async () => {
    for (const baseUrl of [
      'https://a.example/id',
      'https://a.example/id/',
      new URL('https://a.example/id/'),
    ]) {
      const url = new Rolecall({ baseUrl, apiKey: 'k' }).authorizeUrl({
        clientId: 'c',
        redirectUri: 'r',
        serverId: 's',
        state: 'x',
      })
      expect(await url).toMatch(/^https:\/\/a\.example\/id\/api\/auth\/authorize\?/)
    }
  })
})

async function startOther(answer: (reply: import('node:http').ServerResponse) => unknown) {
  const server = createServer((_request, reply) => void answer(reply))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, close }
}
