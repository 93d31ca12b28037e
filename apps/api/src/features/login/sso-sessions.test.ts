import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { later } from '../../../test/clock.ts'
import { mainEngines } from '../../../test/databases.ts'
import {
  authorizePath,
  Browser,
  countRows,
  exchange,
  givenAdmin,
  givenProject,
  walkLogin,
} from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

interface Listed {
  readonly id: string
  readonly kind: string
  readonly projectId: string | null
  readonly serverId: string | null
  readonly clientInfo: { readonly ipAddress: string | null; readonly userAgent: string | null } | null
}

describe.each(mainEngines)('single sign-on as a session of its member on %s', (engine) => {
  const world = worldForTests(engine)
  const project = projectForTests(world)

  const ssoPath = () =>
    authorizePath(project.id, { prompt: 'none' }).replace('/authorize?', '/sso/authorize?')
  /** Returns a browser that has signed in, and the session of that sign-in. */
  const returning = async (as: string = demo.users.ada, browser = new Browser(world.url)) => {
    const end = await walkLogin(world, authorizePath(project.id), { browser, as })
    const { body } = await exchange(world, project, end.searchParams.get('code') ?? '')
    return { browser, token: body.token as string }
  }
  const isKnown = async (browser: Browser) =>
    ((await browser.get(ssoPath())).headers.get('location') ?? '').includes('code=rcc_')
  const list = async (token: string): Promise<Listed[]> =>
    (await call(world.url, 'GET', '/api/auth/sessions', { token })).body.sessions
  const ofSso = (sessions: readonly Listed[]) => sessions.filter(({ kind }) => kind === 'sso')
  const reuses = () => countRows(world, `audit_log where action = 'sso.reuse' and severity = 'warning'`)

  test('is listed with the sessions, and ended by its id like any of them', async () => {
    const { browser, token } = await returning()
    const [sso, ...others] = ofSso(await list(token))
    expect(others).toEqual([])
    expect(sso).toMatchObject({ kind: 'sso', projectId: null, serverId: null })
    const path = `/api/auth/sessions/${sso?.id}`
    const stranger = await returning(demo.users.joon)
    expect((await call(world.url, 'DELETE', path, { token: stranger.token })).status).toBe(404)
    expect(await isKnown(browser)).toBe(true)
    expect((await call(world.url, 'DELETE', path, { token })).status).toBe(204)
    expect(await isKnown(browser)).toBe(false)
    expect((await call(world.url, 'DELETE', path, { token })).status).toBe(404)
  })

  test('a new login of the same browser takes the place of the old one', async () => {
    const { browser } = await returning(demo.users.kenji)
    const { token } = await returning(demo.users.kenji, browser)
    expect(ofSso(await list(token))).toHaveLength(1)
  })

  test('a used value that comes back after the grace ends it for everybody who holds it, with one warning', async () => {
    const { browser } = await returning()
    const copied = browser.jar.get('svc_sso') ?? ''
    expect(await isKnown(browser)).toBe(true)
    expect(await isKnown(browser)).toBe(true)
    const thief = new Browser(world.url)
    thief.jar.set('svc_sso', copied)
    const before = await reuses()
    // Within the grace period, the request may come from a slow tab, so it is only rejected.
    expect(await isKnown(thief)).toBe(false)
    expect(await isKnown(browser)).toBe(true)
    await later(world.service, 11, async () => {
      expect(await isKnown(thief)).toBe(false)
      expect(await isKnown(browser)).toBe(false)
      expect(await isKnown(thief)).toBe(false)
    })
    expect(await reuses()).toBe(before + 1)
  })

  describe.each([
    ['DELETE /api/auth/sessions', async (token: string) => ({ path: '/api/auth/sessions', token })],
    [
      'DELETE /api/admin/members/{id}/sessions',
      async () => ({
        path: `/api/admin/members/${demo.users.ada}/sessions`,
        token: await givenAdmin(world),
      }),
    ],
  ])('%s', (_, asking) => {
    test('ends all sessions of the member, single sign-on in every browser and codes under way; none of another member', async () => {
      const other = await givenProject(world)
      const [first, second] = [await returning(), await returning()]
      const elsewhere = await walkLogin(world, authorizePath(other.id), { as: demo.users.ada })
      const code = elsewhere.searchParams.get('code') ?? ''
      const someone = await returning(demo.users.joon)
      const { path, token } = await asking(first.token)
      const entries = () => countRows(world, `audit_log where action = 'session.revoke_all'`)
      const before = await entries()
      expect((await call(world.url, 'DELETE', path, { token })).status).toBe(204)
      expect(await entries()).toBe(before + 1)
      for (const one of [first, second]) {
        expect(await isKnown(one.browser)).toBe(false)
        expect((await call(world.url, 'GET', '/api/auth/sessions', { token: one.token })).status).toBe(401)
      }
      expect((await exchange(world, other, code)).status).toBe(401)
      expect(await isKnown(someone.browser)).toBe(true)
      expect(await list(someone.token)).not.toHaveLength(0)
    })
  })

  test('an unknown member has no sessions to end: 404', async () => {
    const token = await givenAdmin(world)
    const path = '/api/admin/members/999999999999999999/sessions'
    expect((await call(world.url, 'DELETE', path, { token })).body.code).toBe('MEMBER_NOT_FOUND')
  })

  test('a project is told the addresses of its own sessions only, an admin session those of all', async () => {
    const other = await givenProject(world)
    const { mara } = demo.users
    const { token } = await returning(mara)
    const end = await walkLogin(world, authorizePath(other.id), { as: mara })
    await exchange(world, other, end.searchParams.get('code') ?? '', {}, { 'x-client-ip': '203.0.113.7' })
    const admin = await givenAdmin(world)
    const own = await list(token)
    expect(own.length).toBeGreaterThanOrEqual(5)
    for (const { projectId, clientInfo } of own) {
      if (projectId === project.id) expect(clientInfo?.ipAddress).toBe('127.0.0.1')
      else expect(clientInfo).toBeNull()
    }
    const all = await list(admin)
    expect(all.map(({ id }) => id)).toEqual(own.map(({ id }) => id))
    for (const { clientInfo } of all) expect(clientInfo?.ipAddress).toEqual(expect.any(String))
  })

  test('ending what is not of the project leaves an entry that names the project whose session did it', async () => {
    const other = await givenProject(world)
    const { token } = await returning()
    const mine = await returning()
    const end = await walkLogin(world, authorizePath(other.id), { as: demo.users.ada })
    await exchange(world, other, end.searchParams.get('code') ?? '')
    const sessions = await list(token)
    const theirs = sessions.find(({ projectId }) => projectId === other.id)
    const sso = ofSso(sessions)[0]
    const entries = () =>
      world.service.deps.db.query<{ summary: string; actorId: string; severity: string }>({
        text: `select summary, actor_id as "actorId", target_id as "targetId" from audit_log
          where action = 'session.revoke' order by seq desc`,
        values: [],
      })
    const before = await entries()
    for (const one of [theirs, sso]) {
      await call(world.url, 'DELETE', `/api/auth/sessions/${one?.id}`, { token })
      const [latest] = await entries()
      expect(latest).toMatchObject({ actorId: demo.users.ada, targetId: one?.id })
      expect(latest?.summary).toContain(project.id)
    }
    expect(await entries()).toHaveLength(before.length + 2)
    // Ending a session of the project itself needs no audit entry.
    const own = (await list(mine.token)).find(({ projectId }) => projectId === project.id)
    expect((await call(world.url, 'DELETE', `/api/auth/sessions/${own?.id}`, { token })).status).toBe(204)
    expect(await entries()).toHaveLength(before.length + 2)
  })
})
