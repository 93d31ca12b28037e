import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { mintToken, type TokenKind } from '../src/platform/crypto/tokens.ts'
import { createLog } from '../src/platform/log.ts'
import { call } from './client.ts'
import { mainEngines } from './databases.ts'
import {
  authorizePath,
  Browser,
  exchange,
  givenAdmin,
  givenCode,
  givenProject,
  givenSession,
  walkLogin,
} from './given.ts'
import { LogSweep } from './secrets.ts'
import { startWorld } from './service.ts'

describe('the sweep of the logs', () => {
  const sweepOf = (log: (write: ReturnType<typeof createLog>) => void) => {
    const sweep = new LogSweep(['planted-client-secret'])
    log(createLog('debug', sweep))
    return sweep
  }

  test('finds every kind of credential and every planted secret, wherever in a line it stands', () => {
    for (const kind of ['apiKey', 'session', 'refresh', 'code', 'sso', 'request'] satisfies TokenKind[]) {
      const secret = mintToken(kind)
      expect(() =>
        sweepOf((log) => log.debug({ deep: { url: `/x?y=${secret}&z` } })).expectNoSecrets(),
      ).toThrow()
      expect(() =>
        sweepOf((log) => log.error({ err: new Error(`no ${secret}.`) })).expectNoSecrets(),
      ).toThrow()
    }
    expect(() => sweepOf((log) => log.info('planted-client-secret')).expectNoSecrets()).toThrow()
  })

  test('lets prefixes, digests and ids pass', () => {
    const line = { keyPrefix: mintToken('apiKey').slice(0, 12), id: '01890000-0000-7000-8000-000000000000' }
    expect(() => sweepOf((log) => log.info(line, 'rcs_ and rck_')).expectNoSecrets()).not.toThrow()
  })

  // Errors of HTTP clients contain addresses, headers, and bodies.
  test('an error is logged by name, message and stack only', () => {
    const error = Object.assign(
      new Error('outer', { cause: Object.assign(new Error('inner'), { body: mintToken('code') }) }),
      {
        request: { headers: { authorization: `Bearer ${mintToken('session')}` } },
      },
    )
    const { lines, leaks } = sweepOf((log) => log.error({ err: error }))
    expect(leaks).toEqual([])
    expect(lines[0]).toContain('outer')
    expect(lines[0]).toContain('inner')
  })
})

describe.each(mainEngines)('secrets on %s', (engine) => {
  test('put where they do not belong, they reach no log, no table and no answer', async () => {
    const world = await startWorld(engine)
    const project = await givenProject(world)
    const code = await givenCode(world, project)
    const { token, refreshToken } = (await exchange(world, project, code)).body
    const admin = await givenAdmin(world)
    const browser = new Browser(world.url)
    await walkLogin(world, authorizePath(project.id), { browser })
    const sso = browser.jar.get('svc_sso') ?? ''
    const secrets = { code, token, refreshToken, admin, sso, key: project.key }

    for (const secret of Object.values(secrets)) {
      const answers = [
        await call(world.url, 'GET', `/api/auth/sessions?access_token=${secret}`),
        await call(world.url, 'GET', `/api/${secret}`),
        await call(world.url, 'GET', `/api/auth/authorize?client_id=${secret}&redirect_uri=${secret}`),
        await call(world.url, 'GET', `/api/auth/callback?state=${secret}&code=${secret}`),
        await call(world.url, 'POST', '/api/auth/validate', {
          key: secret,
          body: { token: secret, [secret.slice(0, 8)]: 1 },
        }),
        await call(world.url, 'POST', '/api/auth/token', {
          key: project.key,
          body: { clientId: secret, code: secret, redirectUri: secret },
        }),
        await call(world.url, 'POST', '/api/auth/token/refresh', {
          token: secret,
          body: { refreshToken: secret },
        }),
        await call(world.url, 'POST', '/api/auth/validate', { key: project.key, raw: `{"token": ${secret}` }),
        await call(world.url, 'POST', '/api/auth/admin/token', {
          body: { code: secret },
          headers: { cookie: `svc_admin=${secret}` },
        }),
      ]
      for (const { status, text } of answers) if (status >= 400) expect(text).not.toContain(secret)
    }
    // Causes faults of the platform, because errors of its clients contain addresses and bodies. Each service logs one
    // such line a minute.
    const told: string[] = []
    for (const route of ['token', 'me', 'member'] as const) {
      for (const fault of [{ status: 500 }, { status: 401 }, { html200: true }, { reset: true }]) {
        const troubled = await startWorld(engine)
        const { id } = await givenProject(troubled)
        troubled.sim.failNext(route, fault, { times: 3 })
        await walkLogin(troubled, authorizePath(id), { as: demo.users.joon })
        const { lines } = troubled.service.logs
        told.push(...lines.filter((line) => line.includes('sign-ins fail: Discord')))
        await troubled.close()
      }
    }
    const stored = await givenSession(world, project)
    await world.service.recorder.flush()
    const { db } = world.service.deps
    const tables = await db.query<{ name: string }>({
      text: `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
      values: [],
    })
    for (const { name } of tables) {
      const row = await db.maybeOne<{ dump: string | null }>({
        text: `select string_agg(t::text, ' ') as dump from "${name}" t`,
        values: [],
      })
      for (const secret of [...Object.values(secrets), stored.token, stored.refreshToken]) {
        expect(row?.dump ?? '', `${secret.slice(0, 4)} in ${name}`).not.toContain(secret)
      }
    }
    expect(told.length).toBeGreaterThan(10)
    await world.close()
  })
})
