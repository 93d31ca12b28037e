import { createHash } from 'node:crypto'
import { demo } from '@rolecall/chat-sim'
import { fieldsOf, mapFields } from '@rolecall/contract'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { authorizePath, Browser, exchange, givenCode, walkLogin } from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

describe.each(mainEngines)('POST /api/auth/token on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000' })
  const project = projectForTests(world)

  const clientInfoOf = async (token: string) =>
    (await call(world.url, 'GET', '/api/auth/sessions', { token })).body.sessions[0].clientInfo

  describe('200', () => {
    test('answers a pair, its expiry, the whole member, and the roles of that server only', async () => {
      const reply = await exchange(world, project, await givenCode(world, project, demo.users.joon))
      expect(reply.status).toBe(200)
      expect(reply.headers.get('cache-control')).toBe('no-store')
      const { token, refreshToken, expiresAt, member, roles, ...rest } = reply.body
      expect(rest).toEqual({})
      expect(token).toMatch(/^rcs_[0-9A-Za-z]{49}$/)
      expect(refreshToken).toMatch(/^rcr_[0-9A-Za-z]{49}$/)
      expect((Date.parse(expiresAt) - Date.now()) / 86_400_000).toBeCloseTo(30, 1)
      expect(member).toEqual({
        ...mapFields(fieldsOf('session'), () => null),
        id: demo.users.joon,
        username: 'joon_park',
        globalName: 'Joon Park',
        email: 'joon_park@example.test',
        avatar: expect.stringMatching(
          new RegExp(`^https://cdn\\.discordapp\\.com/avatars/${demo.users.joon}/[0-9a-f]+\\.png$`),
        ),
        isClubMember: true,
        // The date in the account's ID.
        joinedAt: new Date(Number(BigInt(demo.users.joon) >> 22n) + 1_420_070_400_000).toISOString(),
        createdAt: expect.stringMatching(/Z$/),
        updatedAt: expect.stringMatching(/Z$/),
        syncedAt: expect.stringMatching(/Z$/),
      })
      expect(roles).toEqual([
        { roleId: demo.roles.captain, roleName: 'Captain', roleColor: 0xe67e22, rolePosition: 7 },
        { roleId: demo.roles.portWatch, roleName: 'Port watch', roleColor: 0xad1457, rolePosition: 4 },
      ])
    })

    test('a member without nickname, picture, e-mail or roles has null for each, and an empty list', async () => {
      const piper = (await exchange(world, project, await givenCode(world, project, demo.users.piper))).body
      expect(piper.member).toMatchObject({ avatar: null, globalName: null, displayName: 'Piper ⛵️🌊' })
      expect(piper.roles).toEqual([])
      const rosa = (await exchange(world, project, await givenCode(world, project, demo.users.rosa))).body
      expect(rosa.member.email).toBeNull()
      // An unconfirmed address may belong to another person.
      const kenji = (await exchange(world, project, await givenCode(world, project, demo.users.kenji))).body
      expect(kenji.member.email).toBeNull()
      const yusra = (await exchange(world, project, await givenCode(world, project, demo.users.yusra))).body
      expect(yusra.member.globalName).toBe('يسرى حداد')
      expect(yusra.roles.at(-1)).toEqual({
        roleId: demo.roles.quiet,
        roleName: 'Quiet cabin',
        roleColor: null,
        rolePosition: 2,
      })
    })

    test('only digests of what was answered are stored: no table holds the code or a token', async () => {
      const code = await givenCode(world, project)
      const { token, refreshToken } = (await exchange(world, project, code)).body
      const { db } = world.service.deps
      const tables = await db.query<{ name: string }>(
        sql`select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
      )
      expect(tables.length).toBeGreaterThan(10)
      for (const { name } of tables) {
        const [row] = await db.query<{ dump: string | null }>({
          text: `select string_agg(t::text, ' ') as dump from "${name}" t`,
          values: [],
        })
        for (const secret of [code, token, refreshToken, project.key])
          expect(row?.dump ?? '').not.toContain(secret)
      }
    })

    test('with PKCE it needs the verifier of the challenge', async () => {
      const codeVerifier = 'v'.repeat(64)
      const code_challenge = createHash('sha256').update(codeVerifier).digest('base64url')
      const code = await givenCode(world, project, demo.users.ada, {
        code_challenge,
        code_challenge_method: 'S256',
      })
      expect((await exchange(world, project, code)).body.code).toBe('CHALLENGE_WITHOUT_VERIFIER')
      expect((await exchange(world, project, code, { codeVerifier: 'w'.repeat(64) })).body.code).toBe(
        'INVALID_CODE',
      )
      expect((await exchange(world, project, code, { codeVerifier })).status).toBe(200)
    })
  })

  describe('clientInfo', () => {
    test('is who the project says it acts for', async () => {
      const headers = { 'x-client-ip': '2001:db8::7', 'x-client-user-agent': 'Mozilla/5.0 (Phone)' }
      const reply = await exchange(world, project, await givenCode(world, project), {}, headers)
      expect(await clientInfoOf(reply.body.token)).toEqual({
        ipAddress: '2001:db8::7',
        userAgent: 'Mozilla/5.0 (Phone)',
      })
    })

    test('else the browser that came through the callback', async () => {
      const browser = new Browser(world.url)
      const get = browser.get.bind(browser)
      browser.get = (path) => get(path, { 'user-agent': 'Callback Browser/1' })
      const end = await walkLogin(world, authorizePath(project.id), { browser })
      const reply = await exchange(world, project, end.searchParams.get('code') ?? '')
      expect(await clientInfoOf(reply.body.token)).toEqual({
        ipAddress: '127.0.0.1',
        userAgent: 'Callback Browser/1',
      })
    })

    test('with any value, the session is created, and the stored value is short and printable', async () => {
      const agents = [
        'x'.repeat(8_000),
        'a\u00ff\u0080b',
        '\u00f0\u009f\u008c\u008a',
        '\u00ed\u00a0\u0080',
        '\u202eevil',
        '',
      ]
      for (const agent of agents) {
        const headers = {
          'x-client-ip': "1.2.3.4'; drop table sessions",
          'x-client-user-agent': Buffer.from(agent, 'latin1')
            .toString('latin1')
            .replace(/[^\x20-\xff]/g, '?'),
        }
        const reply = await exchange(world, project, await givenCode(world, project), {}, headers)
        expect(reply.status).toBe(200)
        const { ipAddress, userAgent } = await clientInfoOf(reply.body.token)
        expect(ipAddress).toBe('127.0.0.1')
        expect((userAgent ?? '').length).toBeLessThanOrEqual(512)
        expect(userAgent ?? '').not.toMatch(/\p{Cc}/u)
      }
    })
  })
})
