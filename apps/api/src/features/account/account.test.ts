import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import {
  atPlatform,
  authorizePath,
  Browser,
  exchange,
  givenProject,
  givenSession,
  redirectUri,
  validate,
  walkLogin,
} from '../../../test/given.ts'
import { authPath, givenClient, introspect, postForm, redeem, walk } from '../../../test/oidc.ts'
import { adminForTests, projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

const { users, mainGuildId, gamesGuildId } = demo

describe.each(ciEngines)('the account page on %s', (engine) => {
  const world = worldForTests(engine, { RATE_LIMIT_GLOBAL: '0' })
  const admin = adminForTests(world)
  const wiki = projectForTests(world, { name: 'The Wiki' })

  const asAdmin = (method: string, path: string, body?: object) =>
    call(world.url, method, `/api/admin${path}`, { ...admin, ...(body && { body }) })
  const page = { accept: 'text/html' }
  const open = (browser: Browser) => browser.get('/account', page)
  /** Opens the page, signs in at the platform, and returns to the page. */
  const logIn = async (as: string, browser = new Browser(world.url)) => {
    const screen = (await open(browser)).headers.get('location') ?? ''
    expect(screen.startsWith(world.sim.authorizeUrl)).toBe(true)
    return { browser, end: await browser.get(await atPlatform(screen, { as }), page) }
  }
  const loggedIn = async (as: string) => {
    const { browser, end } = await logIn(as)
    expect([end.status, end.headers.get('location')]).toEqual([302, '/account'])
    return browser
  }
  const post = (browser: Browser, path: string, headers: Record<string, string> = { origin: world.url }) =>
    postForm(world.url, path, '', { cookie: browser.cookie, ...page, ...headers })
  /** Returns the addresses of the forms on a page. */
  const actionsOf = (text: string) =>
    [...text.matchAll(/action="([^"]+)"/g)].map(([, action]) => action ?? '')
  const newest = async () => {
    const { body } = await asAdmin('GET', '/audit/logs?limit=1')
    return body.data[0]
  }

  test('a browser without a session goes through the sign-in and comes back; no code is made', async () => {
    const browser = await loggedIn(users.ada)
    const { status, text, headers } = await open(browser)
    expect(status).toBe(200)
    expect(text).toContain('ada.osei')
    expect(text).not.toContain('<script')
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'; style-src 'sha256-[^']+'/)
    const codes = sql`select from authorization_codes where redirect_uri = '/account'`
    expect(await world.service.deps.db.query(codes)).toEqual([])
    // The platform's response is valid once.
    expect(browser.jar.has('svc_auth_req')).toBe(false)
  })

  test('a sign-in that began here completes after one to a site in another tab, and the other way round', async () => {
    for (const isHereFirst of [true, false]) {
      const browser = new Browser(world.url)
      const here = (await open(browser)).headers.get('location') ?? ''
      const there = (await browser.get(authorizePath(wiki.id))).headers.get('location') ?? ''
      const ends = []
      for (const screen of isHereFirst ? [here, there] : [there, here])
        ends.push((await browser.get(await atPlatform(screen))).status)
      expect(ends).toEqual([302, 302])
    }
  })

  test('who logged in to a site is logged in here, and sees each session with its browser in words', async () => {
    const browser = new Browser(world.url)
    const end = await walkLogin(world, authorizePath(wiki.id), { browser })
    const code = end.searchParams.get('code') ?? ''
    const { body } = await exchange(
      world,
      wiki,
      code,
      {},
      {
        'x-client-ip': '203.0.113.7',
        'x-client-user-agent': 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0',
      },
    )
    const { text } = await open(browser)
    expect(text).toContain('<h3>The Wiki</h3>')
    expect(text).toContain('Firefox on Windows')
    expect(text).toContain('IP address 203.0.113.7')
    expect(text).toContain('As a member of the server Harbour Club')
    expect(text).toContain('This browser')

    const own = actionsOf(text).filter((action) => action.endsWith('/end'))
    const { sessions } = (await call(world.url, 'GET', '/api/auth/sessions', { token: body.token })).body
    expect(own.map((action) => action.split('/')[3]).sort()).toEqual(
      sessions.map(({ id }: { id: string }) => id).sort(),
    )
    const session = sessions.find(({ kind }: { kind: string }) => kind === 'project').id
    const ended = await post(browser, `/account/sessions/${session}/end`)
    expect([ended.status, ended.headers.get('location')]).toEqual([303, '/account?done=session'])
    expect((await validate(world, wiki, body.token)).status).toBe(401)
    expect(await newest()).toMatchObject({
      actorId: users.ada,
      action: 'session.revoke',
      targetId: session,
      summary: expect.stringMatching(/ ended a session of The Wiki on their account page\.$/),
    })
    expect((await post(browser, `/account/sessions/${session}/end`)).status).toBe(404)
  })

  test('a member ends no session of another member, and a form of another site does nothing', async () => {
    const mine = await loggedIn(users.ada)
    const { token } = await givenSession(world, wiki, users.joon)
    const { sessions } = (await call(world.url, 'GET', '/api/auth/sessions', { token })).body
    const refused = await post(mine, `/account/sessions/${sessions[0].id}/end`)
    expect([refused.status, /<h1>(.*)<\/h1>/.exec(refused.text)?.[1]]).toEqual([
      404,
      'This session cannot be ended',
    ])
    expect((await validate(world, wiki, token)).status).toBe(200)

    const before = await newest()
    const posts = [...new Set(actionsOf((await open(mine)).text)), `/account/consents/${wiki.id}/withdraw`]
    expect(posts.length).toBeGreaterThan(3)
    for (const path of posts) {
      for (const headers of [
        {},
        { origin: 'https://evil.example' },
        { origin: world.url, 'sec-fetch-site': 'same-site' },
      ]) {
        expect((await post(mine, path, headers as Record<string, string>)).status, path).toBe(403)
      }
    }
    expect((await newest()).id).toBe(before.id)
    expect((await open(mine)).status).toBe(200)
  })

  test('ending everything ends sessions and single sign-on in all browsers, this page too', async () => {
    const here = await loggedIn(users.tomas)
    const there = await loggedIn(users.tomas)
    const { token } = await givenSession(world, wiki, users.tomas)
    const done = await post(here, '/account/log-out-everywhere')
    expect(done.status).toBe(200)
    expect(done.text).toContain('You are signed out everywhere')
    expect(done.headers.get('set-cookie')).toMatch(/^svc_sso=; Max-Age=0/)
    expect((await validate(world, wiki, token)).status).toBe(401)
    for (const browser of [here, there]) {
      expect((await open(browser)).status).toBe(302)
      // A form from an old page redirects to the sign-in and changes nothing.
      expect((await post(browser, '/account/log-out-everywhere')).headers.get('location')).toBe('/account')
    }
    expect(await newest()).toMatchObject({ actorId: users.tomas, action: 'session.revoke_all' })
  })

  test('logging out here ends the single sign-on of this browser, and sessions of sites go on', async () => {
    const here = await loggedIn(users.joon)
    const there = await loggedIn(users.joon)
    const { token } = await givenSession(world, wiki, users.joon)
    const question = await here.get('/account/log-out', page)
    expect(actionsOf(question.text)).toEqual(['/account/log-out'])
    expect((await post(here, '/account/log-out')).status).toBe(200)
    expect((await here.get('/account/log-out', page)).text).toContain('You are signed out here')
    expect((await open(here)).status).toBe(302)
    expect((await open(there)).status).toBe(200)
    expect((await validate(world, wiki, token)).status).toBe(200)
  })

  test('what a site may know is listed; taking it back ends what the site has, and it asks again', async () => {
    const shop = await givenClient(world, { name: 'The Shop', isInternal: false, serverIds: [mainGuildId] })
    const browser = new Browser(world.url)
    const end = await walk(world, authPath(shop), { as: users.rosa, browser })
    const tokens = (await redeem(world, shop, end.searchParams.get('code') ?? '')).body
    expect((await open(browser)).text).toContain('Your current roles in the community')
    const withdrawn = await post(browser, `/account/consents/${shop.id}/withdraw`)
    expect(withdrawn.headers.get('location')).toBe('/account?done=consent')
    expect((await introspect(world, shop, tokens.access_token)).body).toEqual({ active: false })
    expect((await browser.get(authPath(shop))).headers.get('location')).toMatch(/^\/oidc\/interaction\//)
    expect(await newest()).toMatchObject({
      action: 'consent.withdraw',
      targetId: shop.id,
      actorId: users.rosa,
    })
    await post(browser, `/account/consents/${shop.id}/withdraw`)
    expect((await asAdmin('GET', '/audit/logs?limit=2')).body.data[1].action).not.toBe('consent.withdraw')
  })

  test('the file holds what an admin’s does, but for the reason of a block', async () => {
    await loggedIn(users.kenji)
    await asAdmin('PUT', `/members/${users.kenji}/block`, { reason: 'Sold what is not theirs' })
    await asAdmin('DELETE', `/members/${users.kenji}/block`)
    const browser = await loggedIn(users.kenji)
    const own = await browser.get('/account/data')
    expect(own.headers.get('content-disposition')).toMatch(/^attachment; filename="member-\d+-\d{8}\.json"$/)
    expect(own.text).not.toContain('Sold what is not theirs')
    expect(await newest()).toMatchObject({ actorId: users.kenji, action: 'member.data' })
    const whole = await asAdmin('GET', `/members/${users.kenji}/data`)
    expect(whole.text).toContain('Sold what is not theirs')
    expect(Object.keys(own.body)).toEqual(expect.arrayContaining(Object.keys(whole.body)))
    expect(own.body.auditEntries.map(({ action }: { action: string }) => action)).toContain('member.block')
  })

  test('a link of another site downloads nothing, and downloads are limited', async () => {
    const browser = await loggedIn(users.kenji)
    const linked = await browser.get('/account/data', {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    })
    expect([linked.status, linked.headers.get('location')]).toEqual([302, '/account'])
    const statuses: number[] = []
    for (let i = 0; i < 8; i++) statuses.push((await browser.get('/account/data')).status)
    expect(statuses[0]).toBe(200)
    expect(statuses.at(-1)).toBe(429)
  })

  test('who left, is blocked, is in another server only, or cancels, reads what it means', async () => {
    const headingOf = (text: string) => /<h1>(.*)<\/h1>/.exec(text)?.[1]
    const refused = async (as: string) => {
      const { end } = await logIn(as)
      return [end.status, headingOf(end.text)]
    }
    expect(await refused(users.emil)).toEqual([403, 'You were not signed in'])
    await loggedIn(users.yusra)
    await asAdmin('PUT', `/members/${users.yusra}/block`, { reason: 'Sold what is not theirs' })
    expect(await refused(users.yusra)).toEqual([403, 'This account is blocked'])
    // The member is only in the second server, which the service has not queried before and queries from then on.
    expect(await refused(users.noor)).toEqual([403, 'You were not signed in'])
    expect((await asAdmin('POST', '/servers', { id: gamesGuildId })).status).toBe(201)
    const games = await givenProject(world, { serverIds: [gamesGuildId], redirectUris: [redirectUri] })
    await walkLogin(world, authorizePath(games.id, { server_id: gamesGuildId }), { as: users.noor })
    const browser = await loggedIn(users.noor)
    expect((await open(browser)).status).toBe(200)

    await asAdmin('DELETE', `/servers/${gamesGuildId}`)
    const left = await open(browser)
    expect([left.status, headingOf(left.text)]).toEqual([403, 'You were not signed in'])
    expect(left.text).toContain('is no longer a member of the community')

    const { end } = await cancelled()
    expect([end.status, headingOf(end.text)]).toEqual([403, 'You canceled the sign-in'])
    expect(end.text).toContain('href="/account"')
  })
  const cancelled = async () => {
    const browser = new Browser(world.url)
    const screen = (await open(browser)).headers.get('location') ?? ''
    return { end: await browser.get(await atPlatform(screen, { cancel: true }), page) }
  }
})
