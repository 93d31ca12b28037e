import { createHash } from 'node:crypto'
import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { later } from '../../../test/clock.ts'
import { mainEngines } from '../../../test/databases.ts'
import {
  atPlatform,
  authorizePath,
  Browser,
  givenProject,
  openLogin,
  redirectUri,
  walkLogin,
} from '../../../test/given.ts'
import { sendRaw } from '../../../test/raw-http.ts'
import { startWorld } from '../../../test/service.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

describe.each(mainEngines)('GET /api/auth/authorize on %s', (engine) => {
  const world = worldForTests(engine)
  const project = projectForTests(world)

  const get = (path: string, headers: Record<string, string> = {}) =>
    call(world.url, 'GET', path, { headers })
  const good = () => ({
    client_id: project.id,
    redirect_uri: redirectUri,
    server_id: demo.mainGuildId as string,
    state: 's',
  })
  const query = (parameters: Record<string, string>) =>
    `/api/auth/authorize?${new URLSearchParams(parameters)}`

  test('sends the browser to the platform’s screen with a state and PKCE of the service’s own', async () => {
    const reply = await get(authorizePath(project.id, { state: 'the-project-state' }))
    expect(reply.status).toBe(302)
    const screen = new URL(reply.headers.get('location') ?? '')
    expect(screen.origin + screen.pathname).toBe(world.sim.authorizeUrl)
    const { state, code_challenge, ...fixed } = Object.fromEntries(screen.searchParams)
    expect(fixed).toEqual({
      response_type: 'code',
      client_id: world.sim.app.clientId,
      scope: 'identify email',
      redirect_uri: `${world.url}/api/auth/callback`,
      code_challenge_method: 'S256',
      prompt: 'consent',
    })
    expect(state).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(code_challenge).toMatch(/^[A-Za-z0-9_-]{43}$/)
  })

  test('no two logins share a state or a challenge', async () => {
    const screens = await Promise.all(
      Array.from(
        { length: 20 },
        async () => new URL((await get(query(good()))).headers.get('location') ?? ''),
      ),
    )
    for (const name of ['state', 'code_challenge']) {
      expect(new Set(screens.map(({ searchParams }) => searchParams.get(name))).size).toBe(20)
    }
  })

  test('the challenge is of the verifier that the service later proves with', async () => {
    const browser = new Browser(world.url)
    const screen = await openLogin(browser, query(good()))
    await browser.get(await atPlatform(screen))
    const sent = new URLSearchParams(world.sim.journal.entries('token').at(-1)?.body)
    const verifier = sent.get('code_verifier') ?? ''
    expect(createHash('sha256').update(verifier).digest('base64url')).toBe(
      new URL(screen).searchParams.get('code_challenge'),
    )
  })

  test('binds the login to the browser by a cookie that scripts cannot read', async () => {
    const [line, ...others] = (await get(query(good()))).headers.getSetCookie()
    expect(others).toEqual([])
    expect(line).toMatch(
      /^svc_auth_req=rca_[0-9A-Za-z]{49}; Max-Age=600; Path=\/api\/auth; HttpOnly; SameSite=Lax$/,
    )
  })

  test('always shows the screen, also to a browser that could skip it', async () => {
    const browser = new Browser(world.url)
    await walkLogin(world, query(good()), { browser })
    expect(browser.jar.has('svc_sso')).toBe(true)
    expect(await openLogin(browser, query(good()))).toContain(world.sim.authorizeUrl)
  })

  test('an internal project has the main server without a mapping', async () => {
    const internal = await givenProject(world, { isInternal: true, serverIds: [] })
    expect((await get(authorizePath(internal.id))).status).toBe(302)
  })

  test('headers of a proxy or a stranger change no address', async () => {
    const { host } = new URL(world.url)
    for (const line of [
      'Host: evil.example',
      `Host: ${host}\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https`,
    ]) {
      const reply = await sendRaw(
        world.url,
        `GET ${query(good())} HTTP/1.1\r\n${line}\r\nConnection: close\r\n\r\n`,
      )
      expect(reply.status).toBe(302)
      expect(reply.text).not.toContain('evil.example')
      expect(reply.headers['location']).toContain(encodeURIComponent(`${world.url}/api/auth/callback`))
    }
  })
})

test('behind an https address cookies are Secure, and browsers are told to stay with https', async () => {
  const world = await startWorld('pglite', { PUBLIC_URL: 'https://login.example' })
  const reply = await call(world.url, 'GET', authorizePath((await givenProject(world)).id))
  expect(reply.headers.getSetCookie()[0]).toMatch(/; HttpOnly; Secure; SameSite=Lax$/)
  expect(reply.headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains')
  await world.close()
})

describe.each(mainEngines)('GET /api/auth/chat on %s', (engine) => {
  const world = worldForTests(engine)
  const project = projectForTests(world)

  test('resumes the newest login of the browser, with its own state and challenge', async () => {
    const browser = new Browser(world.url)
    await openLogin(browser, authorizePath(project.id, { state: 'first' }))
    const second = await openLogin(browser, authorizePath(project.id, { state: 'second' }))
    expect(await openLogin(browser, '/api/auth/chat')).toBe(second)
    const end = await browser.get(await atPlatform(second))
    expect(new URL(end.headers.get('location') ?? '').searchParams.get('state')).toBe('second')
  })

  test('without a login to resume it is 400: no cookie, a made-up one, a finished or an expired login', async () => {
    const expectNothing = async (browser: Browser) => {
      const reply = await browser.get('/api/auth/chat')
      expect(reply.status).toBe(400)
      expect(reply.body.code).toBe('LOGIN_REQUEST_INVALID')
      expect(reply.headers.get('location')).toBeNull()
    }
    await expectNothing(new Browser(world.url))
    const forged = new Browser(world.url)
    forged.jar.set('svc_auth_req', 'rca_made-up')
    await expectNothing(forged)
    const finished = new Browser(world.url)
    await walkLogin(world, authorizePath(project.id), { browser: finished })
    await expectNothing(finished)
    const late = new Browser(world.url)
    await openLogin(late, authorizePath(project.id))
    await later(world.service, 601, () => expectNothing(late))
  })
})
