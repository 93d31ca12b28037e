import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GivenProject, givenProject } from '../../../apps/api/test/given.ts'
import { startWorld, type World } from '../../../apps/api/test/service.ts'
import { freePort } from '../../../tools/free-port.js'
import { Rolecall } from '../src/rolecall.ts'
import type { OnRefused, Pages } from '../src/site/page-details.ts'
import { createSealer } from '../src/site/seal.ts'
import { readEvents, SiteBrowser } from './site-browser.ts'
import type { RunningSite, StartSite } from './sites.ts'

const { roles, users, mainGuildId } = demo
const secret = 'a secret that nobody else knows of 32 characters'
const problems: unknown[] = []

let world: World

/** The pages of a site that replaces those of the library. One of them throws. */
const ownPages: Pages = {
  refused: ({ code, description }) => `<p>own: ${code} ${description}</p>`,
  expired: () => {
    throw new Error('planted in a page')
  },
  failed: async ({ code, retryUrl }) =>
    new Response(`own: ${code} ${retryUrl}`, {
      headers: { 'cache-control': 'public', 'content-security-policy': "default-src 'none'", 'x-own': '1' },
    }),
  signedOut: ({ title, language }) => `<p lang="${language}">own: ${title}</p>`,
}
const redirectBlocked: OnRefused = ({ reason, retryUrl }) =>
  reason === 'blocked' && retryUrl === undefined
    ? new Response(null, { status: 303, headers: { location: '/appeal' } })
    : undefined

/**
 * Tests that the sign-in works the same with every adapter. Uses the small site of `sites.ts` over HTTP, with the real
 * service.
 *
 * @param takesFunctions false for sites that run in a process of their own. They get their options from the
 * environment, which cannot contain functions.
 */
export function describeSites(
  sites: Readonly<Record<string, StartSite>>,
  { takesFunctions = true }: { readonly takesFunctions?: boolean } = {},
): void {
  beforeAll(async () => {
    world = await startWorld('pglite', { PERMISSION_TTL_MS: '3600000' })
  })
  afterAll(() => world?.close())
  describe.each(Object.entries(sites))('a site on %s', (_, start) => testSite(start, takesFunctions))
}

function testSite(start: StartSite, takesFunctions: boolean): void {
  let url: string
  let project: GivenProject
  let site: RunningSite
  let client: Rolecall
  /** The same site, with the address of a service that cannot be reached. */
  let broken: RunningSite
  let brokenUrl: string

  beforeAll(async () => {
    const [port, brokenPort] = [await freePort(), await freePort()]
    url = `http://127.0.0.1:${port}`
    brokenUrl = `http://127.0.0.1:${brokenPort}`
    project = await givenProject(world, { redirectUris: [`${url}/auth/callback`] })
    client = new Rolecall({ baseUrl: world.url, apiKey: project.key })
    const options = { apiKey: project.key, clientId: project.id, serverId: mainGuildId, secret }
    const onError = (error: unknown) => void problems.push(error)
    site = await start({ ...options, url: world.url, appUrl: url, onError }, port)
    const nowhere = `http://127.0.0.1:${await freePort()}`
    const own = { pages: ownPages, onRefused: redirectBlocked }
    broken = await start({ ...options, ...own, url: nowhere, appUrl: brokenUrl, onError }, brokenPort)
  })
  afterAll(async () => {
    await site?.close()
    await broken?.close()
  })

  const setRoles = async (member: string, ids: string[]) => {
    world.sim.world.setRoles(mainGuildId, member, ids)
    await world.service.deps.refreshMember(mainGuildId, member)
  }

  const cookieName = () => `rolecall_${project.id}`
  const givenBrowser = () => new SiteBrowser(url, world.sim.url)
  const givenMember = async (member: string = users.ada) => {
    const browser = givenBrowser()
    await browser.open('/auth/login', member)
    return browser
  }
  /** Returns the content of the session cookie: the pair, and the times at which it was issued and expires. */
  const pairIn = async (browser: SiteBrowser) => {
    const opened = await createSealer([secret]).open(cookieName(), browser.jar.get(cookieName()) ?? '')
    const [token, refreshToken, obtainedAt, expiresAt] = JSON.parse(opened?.text ?? '[]') as [
      string,
      string,
      number,
      number,
    ]
    return { token, refreshToken, obtainedAt, expiresAt }
  }
  /** Changes the cookie as if more than half of the session's lifetime had passed, so that a refresh is due. */
  const age = async (browser: SiteBrowser) => {
    const { token, refreshToken, obtainedAt, expiresAt } = await pairIn(browser)
    const earlier = obtainedAt - (expiresAt - obtainedAt) - 60
    const text = JSON.stringify([token, refreshToken, earlier, expiresAt])
    browser.jar.set(cookieName(), await createSealer([secret]).seal(cookieName(), text))
  }
  const problemOf = async (answer: Response) => {
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
    const { status, code } = (await answer.json()) as { status: number; code: string }
    expect(status).toBe(answer.status)
    return [status, code]
  }

  test('sends who opens a page through the login and back to it, with a sealed cookie that no script reads', async () => {
    const browser = givenBrowser()
    const end = await browser.open('/crew?tab=1')
    expect(end).toMatchObject({ url: `${url}/crew?tab=1`, status: 200 })
    expect(end.text).toContain('ada.osei')
    expect([...browser.jar.keys()].filter((name) => name.startsWith('rolecall_'))).toEqual([cookieName()])
    const line = browser.lines.findLast((one) => one.startsWith(`${cookieName()}=`)) ?? ''
    expect(line).toMatch(/^[^=]+=1\.[\w-]{8}\.[\w-]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/)
    expect(line.length).toBeLessThan(400)
    expect(Number(/Max-Age=(\d+)/.exec(line)?.[1])).toBeGreaterThan(86_400)
  })

  test('tells everyone else who they are, or that they are nobody', async () => {
    expect(await (await givenBrowser().ask('/')).text()).toContain('nobody')
    expect(await (await (await givenMember()).ask('/')).text()).toContain('ada.osei')
  })

  test('answers programs with 401 and 403, and people without the role with a page that says so', async () => {
    const answer = await givenBrowser().ask('/api/crew')
    expect(answer.headers.get('www-authenticate')).toContain(`${url}/auth/login`)
    expect(await problemOf(answer)).toEqual([401, 'LOGIN_REQUIRED'])
    await setRoles(users.tomas, [roles.deckhand])
    const deckhand = await givenMember(users.tomas)
    expect(await problemOf(await deckhand.ask('/api/crew'))).toEqual([403, 'ROLE_REQUIRED'])
    const page = await deckhand.open('/crew')
    expect(page.status).toBe(403)
    expect(page.text).toContain('You do not have the required role.')
  })

  test('answers 503 when the session cannot be checked, never 401, and keeps the session', async () => {
    const member = await givenMember()
    const browser = new SiteBrowser(brokenUrl, world.sim.url)
    for (const [name, value] of member.jar) browser.jar.set(name, value)
    const answer = await browser.ask('/api/crew')
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await problemOf(answer)).toEqual([503, 'SESSION_CHECK_UNAVAILABLE'])
    expect((await browser.open('/crew')).status).toBe(503)
    expect((await browser.ask('/auth/me')).status).toBe(503)
    expect((await browser.ask('/auth/logout', { method: 'POST' })).status).toBe(503)
    expect(browser.jar.get(cookieName())).toBe(member.jar.get(cookieName()))
  })

  if (takesFunctions)
    test('shows the pages of the app in place of its own, with the same status, and its own if they fail', async () => {
      const browser = new SiteBrowser(brokenUrl, world.sim.url)
      const ask = (path: string, headers: Record<string, string> = {}) =>
        browser.ask(path, { as: 'page', headers })
      /** Starts a sign-in, and returns from it with the given response of the service. */
      const comeBack = async (answer: Record<string, string>) => {
        const authorize = new URL((await ask('/auth/login')).headers.get('location') ?? '')
        const state = authorize.searchParams.get('state') ?? ''
        return `/auth/callback?${new URLSearchParams({ state, iss: authorize.origin, ...answer })}`
      }
      const refusal = { error: 'access_denied', error_description: 'Not a member of <Crew>.' }

      const refused = await ask(await comeBack({ ...refusal, error_reason: 'not_a_member' }))
      expect(refused.status).toBe(403)
      expect(refused.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(refused.headers.get('cache-control')).toBe('private, no-store')
      expect(refused.headers.get('content-security-policy')).toMatch(
        /default-src 'self';.+frame-ancestors 'none'/,
      )
      expect(await refused.text()).toBe('<p>own: LOGIN_REFUSED Not a member of <Crew>.</p>')
      const blocked = await ask(await comeBack({ ...refusal, error_reason: 'blocked' }))
      expect([blocked.status, blocked.headers.get('location')]).toEqual([303, '/appeal'])
      expect(blocked.headers.get('cache-control')).toBe('private, no-store')
      expect(await problemOf(await browser.ask(await comeBack(refusal)))).toEqual([403, 'LOGIN_REFUSED'])

      problems.length = 0
      const expired = await ask('/auth/callback?state=x', { 'accept-language': 'de' })
      expect([expired.status, expired.headers.get('content-language')]).toEqual([400, 'de'])
      expect(await expired.text()).toContain('Beginnen Sie in diesem Browser neu')
      expect(problems).toEqual([new Error('planted in a page')])

      for (const [name, value] of (await givenMember()).jar) browser.jar.set(name, value)
      const failed = await ask('/crew?tab=1')
      expect([failed.status, failed.headers.get('x-own')]).toEqual([503, '1'])
      expect(Number(failed.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(failed.headers.get('cache-control')).toBe('private, no-store')
      expect(failed.headers.get('content-security-policy')).toBe("default-src 'none'")
      expect(await failed.text()).toBe(`own: SESSION_CHECK_UNAVAILABLE ${brokenUrl}/crew?tab=1`)

      browser.jar.clear()
      const form = { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'same-origin' }
      const left = await browser.ask('/auth/logout', { method: 'POST', headers: form })
      expect([left.status, left.headers.get('location')]).toEqual([303, `${brokenUrl}/auth/signed-out`])
      const signedOut = await ask('/auth/signed-out', { 'accept-language': 'fr' })
      expect(signedOut.status).toBe(200)
      expect(await signedOut.text()).toBe('<p lang="fr">own: Déconnexion terminée</p>')
      expect(await (await givenBrowser().ask('/auth/signed-out')).text()).toContain('You are signed out')
    })

  test('logs out by POST of its own pages only, at the service too', async () => {
    const browser = await givenMember()
    const { token } = await pairIn(browser)
    const foreign = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': '', origin: 'https://evil.example' },
      { 'sec-fetch-site': '', origin: 'null' },
      { 'sec-fetch-site': '' },
    ]
    for (const headers of foreign) {
      const answer = await browser.ask('/auth/logout', { method: 'POST', headers })
      expect(await problemOf(answer)).toEqual([403, 'CROSS_SITE_REQUEST'])
    }
    expect((await browser.ask('/auth/logout')).status).toBe(405)
    const stillIn = await browser.ask('/auth/signed-out')
    expect([stillIn.status, stillIn.headers.get('location')]).toEqual([302, `${url}/`])
    expect(await client.validate(token)).toBeDefined()
    const elsewhere = await givenMember()
    await client.logout((await pairIn(elsewhere)).token)
    // The browser still has the cookie of the ended session.
    await expect.poll(async () => (await elsewhere.ask('/auth/signed-out')).status).toBe(200)
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-mode': 'navigate' }
    const headers = { ...form, origin: url }
    const answer = await browser.ask('/auth/logout', { method: 'POST', headers })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${url}/`])
    expect(browser.jar.has(cookieName())).toBe(false)
    expect(await client.validate(token)).toBeUndefined()
    expect(await (await browser.ask('/')).text()).toContain('nobody')
  })

  test('takes Origin for it from browsers that send nothing else', async () => {
    const browser = await givenMember()
    const headers = { 'sec-fetch-site': '', origin: url }
    expect((await browser.ask('/auth/logout', { method: 'POST', headers })).status).toBe(204)
  })

  test('lets an app end the session by itself', async () => {
    const browser = await givenMember()
    const { token } = await pairIn(browser)
    const answer = await browser.ask('/leave', { method: 'POST' })
    expect(answer.headers.get('location')).toMatch(/\/$/)
    expect(browser.jar.has(cookieName())).toBe(false)
    expect(await client.validate(token)).toBeUndefined()
  })

  test('refuses what another site sends in the name of a member', async () => {
    const browser = await givenMember()
    expect(await (await browser.ask('/api/crew', { method: 'POST' })).text()).toContain('ada.osei')
    const headers = { 'sec-fetch-site': 'same-site' }
    const answer = await browser.ask('/api/crew', { method: 'POST', headers })
    expect(await problemOf(answer)).toEqual([403, 'CROSS_SITE_REQUEST'])
  })

  test('refreshes a session once when more than half of its time is over, whoever comes with the old cookie', async () => {
    const browser = await givenMember()
    await age(browser)
    const old = await pairIn(browser)
    const oldCookie = browser.jar.get(cookieName()) ?? ''
    const crowd = Array.from({ length: 20 }, (_, i) =>
      browser.ask(i % 4 === 0 ? '/api/crew' : '/crew', { as: i % 4 === 0 ? 'script' : 'page' }),
    )
    for (const answer of await Promise.all(crowd)) expect(await answer.text()).toContain('ada.osei')
    const next = await pairIn(browser)
    expect(next.token).not.toBe(old.token)
    expect(await client.validate(old.token)).toBeUndefined()
    // Simulates a request that was sent before the refresh and arrives after it. It must receive the new pair.
    browser.jar.set(cookieName(), oldCookie)
    const late = await browser.ask('/api/crew')
    expect(await late.text()).toContain('ada.osei')
    expect(late.headers.get('cache-control')).toBe('private, no-store')
    expect((await pairIn(browser)).token).toBe(next.token)
    expect(await client.validate(next.token)).toBeDefined()
  })

  test('lets no cache keep a page that brings a cookie, and leaves the other cookies of the app', async () => {
    const browser = await givenMember()
    const before = await browser.ask('/public', { as: 'page' })
    expect(before.headers.get('cache-control')).toBe('public, max-age=3600')
    await age(browser)
    browser.jar.delete('theirs')
    const answer = await browser.ask('/public', { as: 'page' })
    expect(await answer.text()).toBe('for all')
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect(answer.headers.getSetCookie()).toHaveLength(2)
    expect(browser.jar.get('theirs')).toBe('1')
  })

  test('refreshes for no script and no prefetch, but when the page asks for it', async () => {
    const browser = await givenMember()
    await age(browser)
    const old = browser.jar.get(cookieName())
    await browser.ask('/api/crew')
    await browser.ask('/crew', { as: 'prefetch' })
    await browser.ask('/auth/me')
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect((await browser.ask('/auth/refresh', { method: 'POST', headers })).status).toBe(403)
    expect(browser.jar.get(cookieName())).toBe(old)
    expect((await browser.ask('/auth/refresh', { method: 'POST' })).status).toBe(204)
    const next = browser.jar.get(cookieName())
    expect(next).not.toBe(old)
    // A second refresh is not due.
    await browser.ask('/auth/refresh', { method: 'POST' })
    expect(browser.jar.get(cookieName())).toBe(next)
  })

  test('lets two tabs of one browser log in at once', async () => {
    const browser = givenBrowser()
    const screens = []
    for (const path of ['/crew?tab=1', '/crew?tab=2']) {
      const login = await browser.ask(`/auth/login?return_to=${encodeURIComponent(path)}`, { as: 'page' })
      screens.push(login.headers.get('location') ?? '')
    }
    const [one = '', two = ''] = screens
    expect((await browser.open(two)).url).toBe(`${url}/crew?tab=2`)
    expect((await browser.open(one)).url).toBe(`${url}/crew?tab=1`)
  })

  test('takes no login that this browser did not begin, and none twice', async () => {
    const browser = givenBrowser()
    const login = await browser.ask('/auth/login', { as: 'page' })
    const walker = new SiteBrowser(url, world.sim.url)
    for (const [name, value] of browser.jar) walker.jar.set(name, value)
    let back = login.headers.get('location') ?? ''
    while (!back.startsWith(`${url}/auth/callback`)) {
      const isScreen = back.startsWith(world.sim.url)
      const answer = await walker.ask(isScreen ? `${back}&login_as=${users.ada}&auto=1` : back, {
        as: 'page',
      })
      back = new URL(answer.headers.get('location') ?? '', back).href
    }
    const stranger = givenBrowser()
    const refused = await stranger.ask(back, { as: 'page' })
    expect([refused.status, stranger.jar.size]).toEqual([400, 0])
    expect(await refused.text()).toContain('Start again in this browser and allow cookies')
    const mixedUp = back.replace(encodeURIComponent(world.url), encodeURIComponent('https://evil.example'))
    expect((await givenCopy(walker).ask(mixedUp)).status).toBe(400)
    const finished = await walker.ask(back, { as: 'page' })
    expect([finished.status, finished.headers.get('location')]).toEqual([302, `${url}/`])
    expect((await walker.ask(back, { as: 'page' })).status).toBe(400)
    expect(await (await walker.ask('/')).text()).toContain('ada.osei')
  })
  const givenCopy = (browser: SiteBrowser) => {
    const copy = givenBrowser()
    for (const [name, value] of browser.jar) copy.jar.set(name, value)
    return copy
  }

  test('tells a page who is logged in, and within a second what has changed', async () => {
    expect(await (await givenBrowser().ask('/auth/me')).json()).toBeNull()
    await setRoles(users.tomas, [roles.deckhand])
    const browser = await givenMember(users.tomas)
    expect(await (await browser.ask('/auth/me')).json()).toMatchObject({ member: { id: users.tomas } })

    const controller = new AbortController()
    const answer = await browser.ask('/auth/live', { signal: controller.signal })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    expect(answer.headers.get('cache-control')).toBe('private, no-store, no-transform')
    const events = readEvents(answer)
    const next = async () =>
      (await events.next()).value?.data as { roles: { roleId: string }[] } | null | undefined
    expect((await next())?.roles.map(({ roleId }) => roleId)).toEqual([roles.deckhand])
    // The stream of events may not be open yet. A change before that is only found by the next check, seconds later.
    const changedAt = performance.now()
    await setRoles(users.tomas, [roles.captain])
    expect((await next())?.roles.map(({ roleId }) => roleId)).toEqual([roles.captain])
    expect(performance.now() - changedAt).toBeLessThan(20_000)

    await browser.ask('/auth/logout', { method: 'POST' })
    // The stream ends without a message, so that the browser reconnects with its current cookie.
    expect(await next()).toBeUndefined()
    const again = readEvents(await browser.ask('/auth/live'))
    expect((await again.next()).value?.data).toBeNull()
    expect((await again.next()).done).toBe(true)
    controller.abort()
  })

  test('stops looking for a page that is gone', async () => {
    const browser = await givenMember()
    const controller = new AbortController()
    const answer = await browser.ask('/auth/live', { signal: controller.signal })
    await readEvents(answer).next()
    controller.abort()
    // A stream that does not end would prevent the site from closing.
    expect((await browser.ask('/')).status).toBe(200)
  })

  test('has nothing else below its path, and answers nothing with a 5xx that a browser sends', async () => {
    const browser = await givenMember()
    for (const path of ['/auth', '/auth/nothing', '/auth/constructor', '/auth/login/x']) {
      expect((await browser.ask(path)).status, path).toBe(404)
    }
    browser.jar.set(cookieName(), '1.x.%')
    browser.jar.set(`${cookieName()}_login_x`, 'nonsense')
    for (const end of 'abcdef') browser.jar.set(`${cookieName()}_login_${'x'.repeat(1_500)}${end}`, '1')
    for (const path of [
      '/',
      '/auth/login',
      '/auth/callback',
      '/auth/callback?state=%00&code=',
      '/auth/login?return_to=%',
      '/auth/me',
    ]) {
      expect((await browser.ask(path)).status, path).toBeLessThan(500)
    }
    expect(await (await browser.ask('/')).text()).toContain('nobody')
  })
}
