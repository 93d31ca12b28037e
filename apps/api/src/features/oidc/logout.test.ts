import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { Browser } from '../../../test/given.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { authPath, givenClient, logIn, postForm, userinfo, walk } from '../../../test/oidc.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const afterwards = 'https://wiki.example/bye?keep=1'

describe.each(ciEngines)('RP-initiated logout on %s', (engine) => {
  const world = worldForTests(engine)
  const project = madeForTests(() => givenClient(world, { oidc: { postLogoutRedirectUris: [afterwards] } }))
  const other = madeForTests(() => givenClient(world, { name: 'The Forum' }))

  const logoutPath = (more: Record<string, string>) => `/oidc/session/end?${new URLSearchParams(more)}`
  const known = async (browser: Browser) => {
    const end = await walk(world, authPath(project, { prompt: 'none' }), { browser })
    return end.searchParams.get('error') !== 'login_required'
  }
  const answer = (browser: Browser, page: string, logout: string, headers = {}) =>
    postForm(
      world.url,
      '/oidc/session/end/confirm',
      { request: /name="request" value="([^"]+)"/.exec(page)?.[1] ?? '', logout },
      { cookie: browser.cookie, origin: world.url, ...headers },
    )

  test('with an ID token as a hint the session and the single sign-on end at once, and the browser goes back', async () => {
    const browser = new Browser(world.url)
    const tokens = await logIn(world, project, { browser })
    const reply = await browser.get(
      logoutPath({ id_token_hint: tokens.id_token, post_logout_redirect_uri: afterwards, state: 'x y' }),
    )
    expect(reply.status).toBe(303)
    expect(reply.headers.get('location')).toBe(`${afterwards}&state=x+y`)
    expect((await userinfo(world, tokens.access_token)).status).toBe(401)
    expect(await known(browser)).toBe(false)
  })

  test('for sessions of other projects in this browser it asks, and ends them when the answer is yes', async () => {
    const browser = new Browser(world.url)
    const there = await logIn(world, other, { browser })
    const here = await logIn(world, project, { browser })
    const page = await browser.get(logoutPath({ id_token_hint: here.id_token }))
    expect(page.status).toBe(200)
    expect(page.text).toContain('The Forum')
    expect(page.text).not.toContain('<script')
    expect((await userinfo(world, here.access_token)).status).toBe(401)
    expect((await userinfo(world, there.access_token)).status).toBe(200)
    expect((await answer(browser, page.text, 'yes', { origin: 'https://evil.example' })).status).toBe(403)
    expect((await userinfo(world, there.access_token)).status).toBe(200)
    expect((await answer(browser, page.text, 'yes')).status).toBe(303)
    expect((await userinfo(world, there.access_token)).status).toBe(401)
  })

  test('without a hint the person is asked first, and nothing ends until they say so', async () => {
    const browser = new Browser(world.url)
    const tokens = await logIn(world, project, { browser })
    const page = await browser.get(
      logoutPath({ client_id: project.id, post_logout_redirect_uri: afterwards }),
    )
    expect(page.status).toBe(200)
    expect((await userinfo(world, tokens.access_token)).status).toBe(200)
    const no = await answer(browser, page.text, 'no')
    expect([no.status, no.headers.get('location')]).toEqual([303, afterwards])
    expect(await known(browser)).toBe(true)
    expect((await answer(browser, page.text, 'yes')).headers.get('location')).toBe(afterwards)
    expect((await userinfo(world, tokens.access_token)).status).toBe(401)
  })

  test('with an ID token of another member the person is asked first, and nothing ends until they say so', async () => {
    const theirs = await logIn(world, project, { as: demo.users.joon })
    const browser = new Browser(world.url)
    const own = await logIn(world, project, { browser })
    const page = await browser.get(logoutPath({ id_token_hint: theirs.id_token }))
    expect(page.status).toBe(200)
    expect(page.text).toContain('Sign out?')
    for (const { access_token } of [own, theirs])
      expect((await userinfo(world, access_token)).status).toBe(200)
    expect(await known(browser)).toBe(true)
  })

  test('an unregistered address is never opened, and a bad hint is refused', async () => {
    const tokens = await logIn(world, project)
    const foreign = [
      { id_token_hint: tokens.id_token, post_logout_redirect_uri: 'https://evil.example/' },
      { id_token_hint: tokens.id_token, post_logout_redirect_uri: `${afterwards}&more=1` },
      { id_token_hint: `${tokens.id_token.slice(0, -4)}AAAA` },
      { id_token_hint: 'no.jwt.atall', post_logout_redirect_uri: afterwards },
      { id_token_hint: tokens.id_token, client_id: other.id },
    ]
    for (const query of foreign) {
      const reply = await call(world.url, 'GET', logoutPath(query))
      expect([reply.status, reply.headers.get('location')]).toEqual([400, null])
    }
    // Without a client, the owner of the address is unknown.
    const lone = await call(world.url, 'GET', logoutPath({ post_logout_redirect_uri: afterwards }))
    expect(lone.headers.get('location')).toBe('/oidc/session/end/success')
    expect((await call(world.url, 'GET', '/oidc/session/end/success')).text).toContain('You are signed out')
    expect((await userinfo(world, tokens.access_token)).status).toBe(200)
  })

  test('with no parameters, or a state alone, the person is asked and ends at a page of ours', async () => {
    for (const query of [{}, { state: 'x' }]) {
      const browser = new Browser(world.url)
      await logIn(world, project, { browser })
      const page = await browser.get(logoutPath(query))
      expect(page.text).toContain('Sign out?')
      expect((await answer(browser, page.text, 'yes')).headers.get('location')).toBe(
        '/oidc/session/end/success',
      )
      expect(await known(browser)).toBe(false)
    }
  })

  test('a form that is made up or belongs to another browser ends nothing', async () => {
    const browser = new Browser(world.url)
    const tokens = await logIn(world, project, { browser })
    const made = await postForm(
      world.url,
      '/oidc/session/end/confirm',
      { request: 'bWFkZSB1cA', logout: 'yes' },
      { cookie: browser.cookie, origin: world.url },
    )
    expect(made.status).toBe(400)
    const stranger = new Browser(world.url)
    await logIn(world, project, { browser: stranger, as: demo.users.joon })
    const page = await stranger.get(logoutPath({ client_id: project.id }))
    expect((await answer(browser, page.text, 'yes')).status).toBe(303)
    expect((await userinfo(world, tokens.access_token)).status).toBe(200)
    expect(await known(browser)).toBe(true)
  })
})
