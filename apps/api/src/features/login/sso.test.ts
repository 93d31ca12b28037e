import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { later } from '../../../test/clock.ts'
import { mainEngines } from '../../../test/databases.ts'
import {
  authorizePath,
  Browser,
  exchange,
  type GivenProject,
  givenProject,
  redirectUri,
  validate,
  walkLogin,
} from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

describe.each(mainEngines)('single sign-on on %s', (engine) => {
  const world = worldForTests(engine)
  const project = projectForTests(world)
  const other = projectForTests(world, { serverIds: [demo.mainGuildId] })

  const ssoPath = ({ id }: GivenProject, more: Record<string, string> = {}) =>
    authorizePath(id, more).replace('/authorize?', '/sso/authorize?')

  /** Returns a browser that has signed in once. */
  const returning = async (as: string = demo.users.ada) => {
    const browser = new Browser(world.url)
    await walkLogin(world, authorizePath(project.id), { browser, as })
    return browser
  }
  const open = async (browser: Browser, path: string) => {
    const reply = await browser.get(path)
    expect(reply.status).toBe(302)
    return new URL(reply.headers.get('location') ?? '')
  }
  const isScreen = (url: URL) => url.href.startsWith(world.sim.authorizeUrl)
  const errorOf = (url: URL) => url.searchParams.get('error')

  test('a browser that logged in before gets a code without the screen, for any project, as the same member', async () => {
    const browser = await returning()
    world.sim.journal.clear()
    const end = await open(browser, ssoPath(other, { state: 'again' }))
    expect([...end.searchParams.keys()]).toEqual(['keep', 'code', 'state', 'iss'])
    expect(end.href.startsWith(redirectUri)).toBe(true)
    expect(end.searchParams.get('state')).toBe('again')
    expect(end.searchParams.get('iss')).toBe(world.url)
    // Membership is read from the platform as in any sign-in; the cookie provides only the identity.
    expect(world.sim.journal.count('member')).toBe(1)
    expect(world.sim.journal.count('token')).toBe(0)
    const session = await exchange(world, other, end.searchParams.get('code') ?? '')
    expect(session.body.member.id).toBe(demo.users.ada)
    expect((await validate(world, other, session.body.token)).status).toBe(200)
  })

  test('the cookie is rotated by its use: the old value is good for a moment, and then no more', async () => {
    const browser = await returning()
    const old = browser.jar.get('svc_sso') as string
    await open(browser, ssoPath(project))
    expect(browser.jar.get('svc_sso')).not.toBe(old)
    const stale = new Browser(world.url)
    stale.jar.set('svc_sso', old)
    expect((await open(stale, ssoPath(project))).searchParams.has('code')).toBe(true)
    await later(world.service, 11, async () => {
      expect((await open(browser, ssoPath(project))).searchParams.has('code')).toBe(true)
      expect(errorOf(await open(stale, ssoPath(project, { prompt: 'none' })))).toBe('login_required')
    })
  })

  test('rotation does not lengthen it: SSO_TTL_SEC after the login it is over', async () => {
    const browser = await returning()
    await later(world.service, 86_000, async () => {
      expect((await open(browser, ssoPath(project))).searchParams.has('code')).toBe(true)
    })
    await later(world.service, 86_401, async () => {
      expect(errorOf(await open(browser, ssoPath(project, { prompt: 'none' })))).toBe('login_required')
    })
  })

  test('twenty tabs at once all get in, and the browser is still known afterwards', async () => {
    const browser = await returning()
    const { cookie } = browser
    const tabs = await Promise.all(
      Array.from({ length: 20 }, () => new Browser(world.url).get(ssoPath(project), { cookie })),
    )
    for (const tab of tabs) expect(tab.headers.get('location')).toContain('code=rcc_')
    const rotated = tabs.flatMap(({ headers }) => headers.getSetCookie())
    expect(rotated).toHaveLength(1)
    browser.jar.set('svc_sso', /svc_sso=([^;]+)/.exec(rotated[0] ?? '')?.[1] ?? '')
    expect((await open(browser, ssoPath(project))).searchParams.has('code')).toBe(true)
  })

  test('without a cookie, with a made-up one or with two, it goes on as authorize', async () => {
    const stranger = new Browser(world.url)
    expect(isScreen(await open(stranger, ssoPath(project)))).toBe(true)
    expect(stranger.jar.has('svc_auth_req')).toBe(true)
    const known = await returning()
    const value = known.jar.get('svc_sso')
    for (const cookie of ['svc_sso=rco_made-up', `svc_sso=${value}; svc_sso=${value}`]) {
      const reply = await new Browser(world.url).get(ssoPath(project), { cookie })
      expect(reply.headers.get('location')).toContain(world.sim.authorizeUrl)
    }
  })

  test('prompt=none answers login_required instead of showing a screen', async () => {
    const end = await open(new Browser(world.url), ssoPath(project, { prompt: 'none' }))
    expect(Object.fromEntries(end.searchParams)).toMatchObject({
      keep: '1',
      error: 'login_required',
      state: 'project-state',
      iss: world.url,
    })
    const bad = await call(world.url, 'GET', ssoPath(project, { prompt: 'login' }))
    expect(bad.status).toBe(400)
  })

  test('the refusals are those of authorize, and a known browser is redirected to no address of a stranger', async () => {
    const browser = await returning()
    const evil = await browser.get(ssoPath(project, { redirect_uri: 'https://evil.example/' }))
    expect({ status: evil.status, code: evil.body.code }).toEqual({
      status: 403,
      code: 'REDIRECT_URI_NOT_ALLOWED',
    })
    expect(evil.headers.get('location')).toBeNull()
    const elsewhere = await browser.get(ssoPath(project, { server_id: demo.gamesGuildId }))
    expect(elsewhere.body.code).toBe('SERVER_NOT_ACCESSIBLE')
    const inactive = await givenProject(world, { isActive: false })
    expect((await browser.get(ssoPath(inactive))).body.code).toBe('PROJECT_INACTIVE')
  })

  test('a member who left the server since is access_denied', async () => {
    const browser = await returning(demo.users.tomas)
    world.sim.world.removeMember(demo.mainGuildId, demo.users.tomas)
    const end = await open(browser, ssoPath(project))
    expect(errorOf(end)).toBe('access_denied')
    expect(end.searchParams.has('code')).toBe(false)
    world.sim.world.addMember(demo.mainGuildId, demo.users.tomas)
  })

  test('while the platform does not answer it is temporarily_unavailable, and the browser stays known', async () => {
    const browser = await returning()
    await world.sim.down()
    expect(errorOf(await open(browser, ssoPath(project)))).toBe('temporarily_unavailable')
    await world.sim.up()
    expect((await open(browser, ssoPath(project))).searchParams.has('code')).toBe(true)
  })

  test('after logout-all of a project it does not log in there again; at other projects it does', async () => {
    const browser = await returning(demo.users.yusra)
    const ofAnother = await returning(demo.users.ada)
    await call(world.url, 'POST', '/api/auth/logout-all', {
      key: project.key,
      body: { memberId: demo.users.yusra },
    })
    expect(errorOf(await open(browser, ssoPath(project, { prompt: 'none' })))).toBe('login_required')
    expect(isScreen(await open(browser, ssoPath(project)))).toBe(true)
    expect((await open(browser, ssoPath(other))).searchParams.has('code')).toBe(true)
    expect((await open(ofAnother, ssoPath(project))).searchParams.has('code')).toBe(true)
    // A sign-in at the platform's screen starts anew.
    await walkLogin(world, authorizePath(project.id), { browser, as: demo.users.yusra })
    expect((await open(browser, ssoPath(project))).searchParams.has('code')).toBe(true)
  })

  test('POST /api/auth/sso/logout ends it, for old values too, and is quiet without one', async () => {
    const browser = await returning()
    const old = browser.cookie
    await open(browser, ssoPath(project))
    const reply = await call(world.url, 'POST', '/api/auth/sso/logout', {
      headers: { cookie: browser.cookie },
    })
    expect(reply.body).toEqual({ success: true })
    expect(reply.headers.getSetCookie()[0]).toMatch(/^svc_sso=; Max-Age=0; Path=\/; HttpOnly/)
    for (const cookie of [browser.cookie, old]) {
      const end = await new Browser(world.url).get(ssoPath(project, { prompt: 'none' }), { cookie })
      expect(end.headers.get('location')).toContain('error=login_required')
    }
    expect((await call(world.url, 'POST', '/api/auth/sso/logout')).body).toEqual({ success: true })
  })
})
