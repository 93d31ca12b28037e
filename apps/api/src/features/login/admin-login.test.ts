import { demo } from '@rolecall/chat-sim'
import { errors } from '@rolecall/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { later } from '../../../test/clock.ts'
import { mainEngines } from '../../../test/databases.ts'
import {
  atPlatform,
  Browser,
  exchange,
  givenAdmin,
  givenCode,
  givenProject,
  openLogin,
  validate,
  walkLogin,
} from '../../../test/given.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

describe.each(mainEngines)('admin login on %s', (engine) => {
  const world = worldForTests(engine)

  const loginPath = (returnTo?: string) =>
    `/api/auth/admin/login${returnTo === undefined ? '' : `?${new URLSearchParams({ return_to: returnTo })}`}`
  const adminCode = async () => {
    const end = await walkLogin(world, loginPath(), { as: demo.users.mara })
    return new URLSearchParams(end.hash.slice(1)).get('code') ?? ''
  }
  const token = (body: object, headers: Record<string, string> = {}) =>
    call(world.url, 'POST', '/api/auth/admin/token', { body, headers })

  describe('GET /api/auth/admin/login', () => {
    test('is the bounce for the main server, and ends at return_to with the code in the fragment only', async () => {
      const end = await walkLogin(world, loginPath('/console/projects?page=2&x=a%20b'), {
        as: demo.users.mara,
      })
      expect(end.origin).toBe(world.url)
      expect(end.pathname + end.search).toBe('/console/projects?page=2&x=a%20b')
      expect(end.hash).toMatch(/^#code=rcc_[0-9A-Za-z]{49}$/)
    })

    test('without return_to it ends at the console', async () => {
      expect((await walkLogin(world, loginPath(), { as: demo.users.mara })).pathname).toBe('/console/')
    })

    test('nothing but the console or the start page is a return_to, however it is written', async () => {
      const corpus = [
        '',
        'console/',
        'https://evil.example/',
        'http:evil.example',
        '//evil.example',
        '///evil.example',
        '/\\evil.example',
        '\\\\evil.example',
        '/\t/evil.example',
        '/\n/evil.example',
        '\t//evil.example',
        ' //evil.example',
        '/%09/evil.example\u0000',
        'javascript:alert(1)',
        'data:text/html,x',
        '/console/#code=rcc_evil',
        '/console/#',
        // Browsers keep the fragment across redirects, and these redirects lead to an address of the project's choice.
        '/api/auth/sso/authorize?client_id=x&redirect_uri=https://evil.example/&prompt=none',
        '/api/docs',
        '/console',
        '/consoles/',
        '/?x',
        '/console/../api/auth/sso/authorize',
        '/console/..',
        '/console/.',
        '/console/./x',
        '/console/x/../../api',
        '/console/%2e%2e/api',
        '/console/%2E./api',
        '/console/.%2e/api',
        '/console/%252e%252e/api',
        '/console/..%2fapi',
        '/console/%2fevil.example',
        '/console/..%5capi',
        '/console/..\\api',
        '/console/\\..\\api',
        '/console//evil.example',
        '/./console/',
        '/console/;/../../api',
        '/console/\r\nSet-Cookie: a=b',
        '/consolé',
        `/${'x'.repeat(1_024)}`,
      ]
      for (const returnTo of corpus) {
        const reply = await call(world.url, 'GET', loginPath(returnTo))
        expect(reply.status, JSON.stringify(returnTo)).toBe(400)
        expect(reply.headers.get('location')).toBeNull()
        expect(reply.headers.getSetCookie()).toEqual([])
      }
    })

    test('a browser reads every accepted return_to as an address of this site', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.string({ unit: fc.constantFrom(...'/\\.:@%?&=#abc \t\n'), maxLength: 12 }),
          async (text) => {
            const returnTo = `/console/${text}`
            const browser = new Browser(world.url)
            const start = await browser.get(loginPath(returnTo))
            if (start.status === 400) return
            const back = await atPlatform(start.headers.get('location') ?? '', { as: demo.users.mara })
            const end = await browser.get(back)
            const seen = new URL(end.headers.get('location') ?? '', world.url)
            expect(seen.origin).toBe(world.url)
            expect(seen.pathname).toMatch(/^\/(console\/.*)?$/)
            expect(seen.hash).toMatch(/^#code=rcc_/)
          },
        ),
        { numRuns: 40 },
      )
    })

    test('a member without the role gets a 403 page, and is not remembered', async () => {
      for (const as of [demo.users.ada, demo.users.joon, demo.users.emil]) {
        const browser = new Browser(world.url)
        const back = await atPlatform(await openLogin(browser, loginPath()), { as })
        const reply = await browser.get(back, { accept: 'text/html' })
        expect(reply.status).toBe(403)
        expect(reply.text).toContain('System Admin access is required.')
        expect(reply.headers.get('location')).toBeNull()
        expect(browser.jar.has('svc_sso')).toBe(false)
      }
    })

    test('the page of a refusal starts the same login again, with its return_to and challenge', async () => {
      const asked = { return_to: '/console/settings', code_challenge: 'c'.repeat(43) }
      const browser = new Browser(world.url)
      const path = `/api/auth/admin/login?${new URLSearchParams(asked)}`
      const back = await atPlatform(await openLogin(browser, path), { as: demo.users.ada })
      const { text } = await browser.get(back, { accept: 'text/html' })
      const again = /href="([^"]*admin\/login[^"]*)"/.exec(text)?.[1]?.replaceAll('&#38;', '&') ?? ''
      expect(Object.fromEntries(new URL(again, world.url).searchParams)).toEqual(asked)
    })

    test('a member who declines gets the same page', async () => {
      const browser = new Browser(world.url)
      const back = await atPlatform(await openLogin(browser, loginPath()), {
        as: demo.users.mara,
        cancel: true,
      })
      expect((await browser.get(back)).body.code).toBe('NOT_SYSTEM_ADMIN')
    })
  })

  describe('POST /api/auth/admin/token', () => {
    test('makes an admin session of the code, once', async () => {
      const code = await adminCode()
      const reply = await token({ code })
      expect(reply.status).toBe(200)
      expect(reply.body.member.id).toBe(demo.users.mara)
      const hours = (Date.parse(reply.body.expiresAt) - Date.now()) / 3_600_000
      expect(hours).toBeGreaterThan(11.9)
      expect(hours).toBeLessThan(12.1)
      expect((await token({ code })).body.code).toBe('INVALID_CODE')
      // RFC 6749 §4.1.2: a code that is used again is held by two clients.
      expect((await call(world.url, 'GET', '/api/auth/sessions', { token: reply.body.token })).status).toBe(
        401,
      )
    })

    test('a project’s code is not an admin’s, an admin’s not a project’s, and neither is used up by the try', async () => {
      const project = await givenProject(world)
      const theirs = await givenCode(world, project, demo.users.mara)
      expect((await token({ code: theirs })).status).toBe(401)
      expect((await exchange(world, project, theirs)).status).toBe(200)
      const ours = await adminCode()
      expect((await exchange(world, project, ours)).status).toBe(401)
      expect((await exchange(world, project, ours, { redirectUri: '/console/' })).status).toBe(401)
      expect((await token({ code: ours })).status).toBe(200)
    })

    test('an admin session is no session of any project', async () => {
      const project = await givenProject(world)
      expect((await validate(world, project, await givenAdmin(world))).status).toBe(401)
    })

    test('refuses bodies that are not of its schema, and codes that are none', async () => {
      for (const body of [
        {},
        { code: '' },
        { code: 1 },
        { code: ['x'] },
        { code: 'x', extra: 1 },
        { code: 'x', cookie: 'true' },
      ]) {
        expect((await token(body)).status).toBe(400)
      }
      expect((await token({ code: 'rcc_made-up' })).status).toBe(401)
    })
  })

  test('is refreshed to 24 hours after the login, and not beyond', async () => {
    const first = (await token({ code: await adminCode() })).body
    const loginAt = Date.now()
    const refresh = (pair: { token: string; refreshToken: string }) =>
      call(world.url, 'POST', '/api/auth/token/refresh', {
        token: pair.token,
        body: { refreshToken: pair.refreshToken },
      })
    let pair = first
    for (const hours of [11, 22]) {
      const next = await later(world.service, hours * 3_600, () => refresh(pair))
      expect(next.status).toBe(200)
      pair = {
        token: next.body.accessToken,
        refreshToken: next.body.refreshToken,
        expiresAt: next.body.expiresAt,
      }
    }
    expect((Date.parse(pair.expiresAt) - loginAt) / 3_600_000).toBeCloseTo(24, 1)
    await later(world.service, 24.1 * 3_600, async () => expect((await refresh(pair)).status).toBe(401))
  })

  test('POST /api/auth/admin/logout ends the session that asks and takes the cookie back', async () => {
    const bearer = await givenAdmin(world)
    const reply = await call(world.url, 'POST', '/api/auth/admin/logout', { token: bearer })
    expect(reply.body).toEqual({ success: true })
    expect(reply.headers.getSetCookie()[0]).toMatch(
      /^svc_admin=; Max-Age=0; Path=\/api; HttpOnly; SameSite=Strict$/,
    )
    expect((await call(world.url, 'GET', '/api/auth/sessions', { token: bearer })).status).toBe(401)
    expect((await call(world.url, 'POST', '/api/auth/admin/logout')).status).toBe(401)
  })

  test('without a main server, the sign-in and the account page advise the operator, not a project', async () => {
    await world.service.deps.db.execute(sql`update servers set is_main = false, removed_at = clock_now()`)
    for (const path of [loginPath(), '/account']) {
      const { status, body } = await call(world.url, 'GET', path, { headers: { accept: 'application/json' } })
      expect([status, body.code, body.detail]).toEqual([
        ...[403, 'SERVER_NOT_ACCESSIBLE', errors.MAIN_SERVER_MISSING.fix],
      ])
      const page = await call(world.url, 'GET', path, { headers: { accept: 'text/html' } })
      expect(page.text).toContain('CHAT_GUILD_ID')
      expect(page.text).not.toContain('server_id')
    }
  })
})
