import { demo } from '@rolecall/chat-sim'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mainEngines } from '../../../test/databases.ts'
import {
  atPlatform,
  authorizePath,
  Browser,
  countRows,
  exchange,
  givenProject,
  openLogin,
  redirectUri,
  walkLogin,
} from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

describe.each(mainEngines)('the end of a login on %s', (engine) => {
  const world = worldForTests(engine)
  const project = projectForTests(world)

  const parametersOf = (url: URL) => [...url.searchParams.keys()]

  describe('302 with a code', () => {
    test('the project gets code, state and iss, after the query that its redirect URI already has', async () => {
      const end = await walkLogin(world, authorizePath(project.id, { state: 'abc' }))
      expect(end.href.startsWith(`${redirectUri}&`)).toBe(true)
      expect(parametersOf(end)).toEqual(['keep', 'code', 'state', 'iss'])
      expect(end.searchParams.get('code')).toMatch(/^rcc_[0-9A-Za-z]{49}$/)
      expect(end.searchParams.get('state')).toBe('abc')
      expect(end.searchParams.get('iss')).toBe(world.url)
    })

    test('a redirect URI of any registered shape comes back byte for byte', async () => {
      const uris = [
        'https://site.example/callback',
        'https://site.example/callback?',
        'https://site.example/callback?a=1&',
        'https://site.example/callback?a=%2f&b=+x&b=2',
        'https://SITE.example:443/%7Euser/../cb',
        'http://127.0.0.1:8123/cb',
        'com.example.app:/callback',
      ]
      const own = await givenProject(world, { redirectUris: uris })
      for (const uri of uris) {
        const browser = new Browser(world.url)
        const screen = await openLogin(browser, authorizePath(own.id, { redirect_uri: uri }))
        const end = await browser.get(await atPlatform(screen))
        const location = end.headers.get('location') ?? ''
        expect(location.startsWith(uri)).toBe(true)
        const glue = uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?'
        expect(location.slice(uri.length)).toMatch(
          new RegExp(`^${glue === '?' ? '\\?' : glue}code=rcc_[0-9A-Za-z]{49}&state=project-state&iss=`),
        )
      }
    })

    test('any state of the project comes back byte for byte, as one parameter', async () => {
      const samples = [
        '&code=evil',
        '#x',
        '\r\nSet-Cookie: a=b',
        '+ %20 %2B',
        '=&=;,/?:@',
        '\u{1f30a} é \u202e',
        'x'.repeat(2_048),
        String.fromCharCode(...Array.from({ length: 127 }, (_, i) => i + 1)),
      ]
      const anyState = fc.oneof(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 }),
      )
      await fc.assert(
        fc.asyncProperty(anyState, async (state) => {
          fc.pre(!state.includes('\0') && state.isWellFormed())
          const path = authorizePath(project.id).replace(
            'state=project-state',
            `state=${encodeURIComponent(state)}`,
          )
          const end = await walkLogin(world, path)
          expect(parametersOf(end)).toEqual(['keep', 'code', 'state', 'iss'])
          expect(end.searchParams.get('state')).toBe(state)
          expect(end.hash).toBe('')
        }),
        { numRuns: 25, examples: samples.map((state) => [state]) },
      )
    })

    test('the browser is remembered for single sign-on, and its login cookie is gone', async () => {
      const browser = new Browser(world.url)
      const screen = await openLogin(browser, authorizePath(project.id))
      const end = await browser.get(await atPlatform(screen))
      const [forgotten, remembered] = end.headers.getSetCookie()
      expect(forgotten).toMatch(/^svc_auth_req=; Max-Age=0; Path=\/api\/auth; HttpOnly; SameSite=Lax$/)
      expect(remembered).toMatch(
        /^svc_sso=rco_[0-9A-Za-z]{49}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/,
      )
    })

    test('two tabs of one browser log in at once, and each ends with its own state and its own person', async () => {
      const browser = new Browser(world.url)
      const first = await openLogin(browser, authorizePath(project.id, { state: 'tab-1' }))
      const second = await openLogin(browser, authorizePath(project.id, { state: 'tab-2' }))
      const ends = [
        await browser.get(await atPlatform(second, { as: demo.users.mara })),
        await browser.get(await atPlatform(first, { as: demo.users.ada })),
      ].map((end) => new URL(end.headers.get('location') ?? ''))
      expect(ends.map(({ searchParams }) => searchParams.get('state'))).toEqual(['tab-2', 'tab-1'])
      const members = await Promise.all(
        ends.map(
          async (end) => (await exchange(world, project, end.searchParams.get('code') ?? '')).body.member.id,
        ),
      )
      expect(members).toEqual([demo.users.mara, demo.users.ada])
    })

    test('an answer without iss is good: not every issuer names itself', async () => {
      world.sim.oauth.answerIss('absent')
      expect(parametersOf(await walkLogin(world, authorizePath(project.id)))).toContain('code')
      world.sim.oauth.answerIss('exact')
    })

    test('unrequested parameters are ignored', async () => {
      const browser = new Browser(world.url)
      const back = await atPlatform(await openLogin(browser, authorizePath(project.id)))
      const end = await browser.get(`${back}&session_state=x&guild_id=1&permissions=8`)
      expect(parametersOf(new URL(end.headers.get('location') ?? ''))).toEqual([
        'keep',
        'code',
        'state',
        'iss',
      ])
    })

    test('of twenty identical callbacks at once exactly one gets a code', async () => {
      const browser = new Browser(world.url)
      const back = await atPlatform(await openLogin(browser, authorizePath(project.id)))
      const { cookie } = browser
      const twin = () => {
        const copy = new Browser(world.url)
        return copy.get(back, { cookie })
      }
      const before = await countRows(world, 'authorization_codes')
      const replies = await Promise.all(Array.from({ length: 20 }, twin))
      expect(replies.map(({ status }) => status).sort()).toEqual([302, ...Array(19).fill(400)])
      expect(await countRows(world, 'authorization_codes')).toBe(before + 1)
    })
  })

  describe('302 with an error', () => {
    const expectError = async (end: URL, error: string, error_reason: string) => {
      const { keep, error_description, ...rest } = Object.fromEntries(end.searchParams)
      expect(rest).toEqual({ error, error_reason, state: 'project-state', iss: world.url })
      expect(keep).toBe('1')
      expect(error_description).not.toBe('')
    }
    const refusedAs = async (as: string, cancel = false) => {
      const before = await countRows(world, 'authorization_codes')
      const browser = new Browser(world.url)
      const end = await walkLogin(world, authorizePath(project.id), { as, cancel, browser })
      expect(await countRows(world, 'authorization_codes')).toBe(before)
      expect(browser.jar.has('svc_sso')).toBe(false)
      return end
    }

    test('a member who declines at the platform is access_denied', async () => {
      await expectError(await refusedAs(demo.users.ada, true), 'access_denied', 'declined')
    })

    test('a person who is not in the server is access_denied, and nothing tells where else they are', async () => {
      const told = new Set<string | null>()
      for (const as of [demo.users.noor, demo.users.emil, demo.users.viktor]) {
        const end = await refusedAs(as)
        await expectError(end, 'access_denied', 'not_a_member')
        expect(decodeURIComponent(end.href)).not.toMatch(/Harbour.Games|1114278299418361865|noor/i)
        told.add(end.searchParams.get('error_description'))
      }
      // One sentence for all, so that it does not reveal who is banned.
      expect(told.size).toBe(1)
    })

    test('a program is refused, though it is in the server', async () => {
      const browser = new Browser(world.url)
      const back = await atPlatform(await openLogin(browser, authorizePath(project.id)), {
        as: demo.users.kenji,
      })
      world.sim.world.updateUser(demo.users.kenji, { bot: true })
      const end = await browser.get(back)
      world.sim.world.updateUser(demo.users.kenji, { bot: false })
      await expectError(new URL(end.headers.get('location') ?? ''), 'access_denied', 'not_a_member')
    })

    // The request was checked minutes ago; the permissions at the time of the code decide.
    test('what the project may no longer do when the browser comes back, it does not get', async () => {
      const { db } = world.service.deps
      const changes = {
        inactive: (id: string) => sql`update projects set deactivated_at = clock_now() where id = ${id}`,
        deleted: (id: string) => sql`update projects set deleted_at = clock_now() where id = ${id}`,
        unlisted: (id: string) =>
          sql`update projects set redirect_uris = '{https://other.example/}' where id = ${id}`,
        withdrawn: (id: string) => sql`delete from server_access where project_id = ${id}`,
      }
      for (const [what, change] of Object.entries(changes)) {
        const own = await givenProject(world)
        const browser = new Browser(world.url)
        const back = await atPlatform(await openLogin(browser, authorizePath(own.id)))
        await db.execute(change(own.id))
        const end = await browser.get(back)
        expect(end.headers.get('location') ?? '', what).not.toContain('code=')
        expect(await countRows(world, `authorization_codes where project_id = '${own.id}'`)).toBe(0)
      }
    })

    test('a browser that is refused for its project keeps its single sign-on at others', async () => {
      const own = await givenProject(world)
      const browser = new Browser(world.url)
      await walkLogin(world, authorizePath(project.id), { browser })
      const back = await atPlatform(await openLogin(browser, authorizePath(own.id)))
      await world.service.deps.db.execute(sql`delete from server_access where project_id = ${own.id}`)
      const refused = await browser.get(back)
      expect(refused.headers.get('location')).toContain('error_reason=no_access')
      const path = authorizePath(project.id, { prompt: 'none' }).replace('/authorize', '/sso/authorize')
      expect((await browser.get(path)).headers.get('location')).toContain('code=rcc_')
    })
  })
})
