import { demo } from '@rolecall/chat-sim'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { authorizePath, countRows, givenProject, redirectUri } from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

describe.each(mainEngines)('the refusals of GET /api/auth/authorize on %s', (engine) => {
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

  /** Expects a refusal without a redirect and without side effects. */
  const expectRefused = async (path: string, status: number, code: string) => {
    const before = await countRows(world, 'auth_requests')
    const reply = await get(path)
    expect({ status: reply.status, code: reply.body?.code }, path).toEqual({ status, code })
    expect(reply.headers.get('location')).toBeNull()
    expect(reply.headers.getSetCookie()).toEqual([])
    expect(await countRows(world, 'auth_requests')).toBe(before)
    return reply
  }

  describe('400', () => {
    test('every problem of the query is named at once', async () => {
      const reply = await expectRefused(
        '/api/auth/authorize?server_id=1&nonsense=x',
        400,
        'VALIDATION_FAILED',
      )
      expect(reply.body.errors.map(({ path }: { path: string }) => path).sort()).toEqual([
        '/client_id',
        '/nonsense',
        '/redirect_uri',
        '/server_id',
        '/state',
      ])
    })

    test('each parameter missing, empty, repeated or written as a list is refused', async () => {
      for (const name of Object.keys(good()) as (keyof ReturnType<typeof good>)[]) {
        const { [name]: value, ...rest } = good()
        const problems = async (path: string) =>
          (await expectRefused(path, 400, 'VALIDATION_FAILED')).body.errors.map(
            (one: { path: string }) => one.path,
          )
        expect(await problems(query(rest))).toEqual([`/${name}`])
        expect(await problems(query({ ...rest, [name]: '' }))).toContain(`/${name}`)
        expect(await problems(`${query(good())}&${name}=${encodeURIComponent(value)}`)).toEqual([`/${name}`])
        expect((await problems(query({ ...rest, [`${name}[]`]: value }))).sort()).toEqual([
          `/${name}`,
          `/${name}[]`,
        ])
      }
    })

    test('what is no id of the platform is no server', async () => {
      const bad = [
        '0',
        '-1',
        String(2n ** 64n),
        '1'.repeat(40),
        'abc',
        '١٢٣٤٥٦٧٨٩٠١٢٣٤٥٦٧',
        ` ${demo.mainGuildId}`,
        '1e18',
        `${demo.mainGuildId}.0`,
      ]
      for (const server_id of bad)
        await expectRefused(query({ ...good(), server_id }), 400, 'VALIDATION_FAILED')
    })

    test('PKCE is S256 with both of its parameters, or not at all', async () => {
      const challenge = 'a'.repeat(43)
      const bad: Record<string, string>[] = [
        { code_challenge: challenge },
        { code_challenge_method: 'S256' },
        { code_challenge: challenge, code_challenge_method: 'plain' },
        { code_challenge: 'short', code_challenge_method: 'S256' },
        { code_challenge: `${challenge}=`, code_challenge_method: 'S256' },
      ]
      for (const more of bad) await expectRefused(query({ ...good(), ...more }), 400, 'VALIDATION_FAILED')
    })

    test('a state that no address could carry back is refused: NUL, broken UTF-8, over 2048 characters', async () => {
      const { state: _, ...rest } = good()
      for (const state of ['%00', '%ff', '%', `${'x'.repeat(2_049)}`]) {
        await expectRefused(`${query(rest)}&state=${state}`, 400, 'VALIDATION_FAILED')
      }
    })

    test('an unknown project is 400, with any other mistakes', async () => {
      const unknown = {
        ...good(),
        client_id: '01890000-0000-7000-8000-000000000000',
        redirect_uri: 'https://evil.example/',
      }
      await expectRefused(query(unknown), 400, 'UNKNOWN_PROJECT')
    })

    test('a deleted project is as unknown as one that never was', async () => {
      const gone = await givenProject(world)
      await world.service.deps.db.execute(
        sql`update projects set deleted_at = clock_now() where id = ${gone.id}`,
      )
      await expectRefused(authorizePath(gone.id), 400, 'UNKNOWN_PROJECT')
    })
  })

  describe('403', () => {
    test('the refusals come in the order of the contract', async () => {
      const inactive = await givenProject(world, { isActive: false })
      const evil = 'https://evil.example/callback'
      const elsewhere = demo.gamesGuildId
      await expectRefused(
        authorizePath(inactive.id, { redirect_uri: evil, server_id: elsewhere }),
        403,
        'PROJECT_INACTIVE',
      )
      await expectRefused(
        authorizePath(project.id, { redirect_uri: evil, server_id: elsewhere }),
        403,
        'REDIRECT_URI_NOT_ALLOWED',
      )
      await expectRefused(authorizePath(project.id, { server_id: elsewhere }), 403, 'SERVER_NOT_ACCESSIBLE')
    })

    test('a mapping without READ, or to a server that was removed, gives no access', async () => {
      const { db } = world.service.deps
      const blind = await givenProject(world)
      await db.execute(sql`update server_access set can_read = false where project_id = ${blind.id}`)
      await expectRefused(authorizePath(blind.id), 403, 'SERVER_NOT_ACCESSIBLE')
    })

    // RFC 9700 §2.1: compared as strings. An address that a URL parser calls equal is still another string.
    test('a near miss of a registered redirect URI is refused, and never redirected to', async () => {
      const registered = 'https://site.example/a/callback'
      const own = await givenProject(world, { redirectUris: [registered, 'https://site.example/b'] })
      const nearMisses = [
        `${registered}/`,
        `${registered}/more`,
        `${registered}?x=1`,
        `${registered}#fragment`,
        `${registered}?`,
        'https://SITE.example/a/callback',
        'https://site.example/a/Callback',
        'https://site.example:443/a/callback',
        'http://site.example/a/callback',
        'https://user@site.example/a/callback',
        'https://site.example@evil.example/a/callback',
        'https://site.example/%61/callback',
        'https://site.example%2fa/callback',
        'https://site.example/a%2fcallback',
        'https://site.example/a/../a/callback',
        'https://site.example/a/./callback',
        'https://site.example\\a\\callback',
        'https://site.example/a/\tcallback',
        'https://site.example/a/callback\n',
        ' https://site.example/a/callback',
        'https://ѕite.example/a/callback',
        'https://site.example./a/callback',
        'https://sub.site.example/a/callback',
        'https://site.example.evil.example/a/callback',
        `${registered},https://site.example/b`,
        `${registered}, https://site.example/b`,
        'javascript:alert(1)',
        '//site.example/a/callback',
        '/a/callback',
      ]
      for (const redirect_uri of nearMisses) {
        await expectRefused(authorizePath(own.id, { redirect_uri }), 403, 'REDIRECT_URI_NOT_ALLOWED')
      }
      await fc.assert(
        fc.asyncProperty(
          fc.nat(),
          fc.constantFrom('', '/', '.', '%', 'x', '@', '?', '\\', ' '),
          fc.nat(2),
          async (place, inserted, removed) => {
            const at = place % (registered.length + 1)
            const redirect_uri = registered.slice(0, at) + inserted + registered.slice(at + removed)
            fc.pre(
              redirect_uri !== registered && redirect_uri !== '' && redirect_uri !== 'https://site.example/b',
            )
            const reply = await get(authorizePath(own.id, { redirect_uri }))
            expect(reply.status).toBe(403)
            expect(reply.headers.get('location')).toBeNull()
          },
        ),
        { numRuns: 60 },
      )
    })
  })

  describe('the page for a person', () => {
    const refused = () => authorizePath(project.id, { redirect_uri: 'https://evil.example/<script>' })

    test('a browser gets a readable page, a program the same as JSON, in the same status', async () => {
      const page = await get(refused(), { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })
      expect(page.status).toBe(403)
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(page.text).toContain('The redirect URI is not registered for the project.')
      expect((await get(refused(), { accept: 'application/json' })).body.code).toBe(
        'REDIRECT_URI_NOT_ALLOWED',
      )
      expect((await get(refused(), { accept: 'application/problem+json' })).body.code).toBe(
        'REDIRECT_URI_NOT_ALLOWED',
      )
    })

    test('nothing that was sent becomes markup, and nothing of others is loaded', async () => {
      const page = await get(`/api/auth/authorize?<script>alert(1)</script>=1&"onload=x`, {
        accept: 'text/html',
      })
      expect(page.status).toBe(400)
      expect(page.text).not.toContain('<script')
      const addresses = [...page.text.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, address]) => address)
      expect(addresses.filter((one) => !one?.startsWith('/account/language?'))).toEqual([])
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    })
  })
})
