import { demo } from '@rolecall/chat-sim'
import { beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { later } from '../../../test/clock.ts'
import { mainEngines } from '../../../test/databases.ts'
import { openEvents } from '../../../test/event-reader.ts'
import {
  authorizePath,
  Browser,
  exchange,
  givenAdmin,
  givenCode,
  givenProject,
  givenSession,
  validate,
  walkAdminLogin,
  walkLogin,
} from '../../../test/given.ts'
import { adminForTests, projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

const { users, mainGuildId, roles } = demo
const reason = 'Sells what is not theirs'

describe.each(mainEngines)('a blocked member, on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '3600000', RATE_LIMIT_GLOBAL: '0' })
  const project = projectForTests(world)
  const admin = adminForTests(world)
  beforeEach(() => unblock(users.ada))

  const asAdmin = (method: string, path: string, body?: object) =>
    call(world.url, method, `/api/admin/members${path}`, { ...admin, ...(body && { body }) })
  const block = (id: string = users.ada, more: object = {}) =>
    asAdmin('PUT', `/${id}/block`, { reason, ...more })
  const unblock = (id: string) => asAdmin('DELETE', `/${id}/block`)
  const codeOf = async (reply: Promise<{ status: number; body?: { code?: string } }>) => {
    const { status, body } = await reply
    return body?.code ?? status
  }
  const refresh = ({ token, refreshToken }: { token: string; refreshToken: string }) =>
    call(world.url, 'POST', '/api/auth/token/refresh', { token, body: { refreshToken } })
  const entries = () =>
    world.service.deps.db.query<{ action: string; targetId: string }>(sql`
      select action, target_id as "targetId" from audit_log where action like 'member.%block' order by seq`)

  test('has no session for any endpoint, and none comes back when the block ends', async () => {
    const session = await givenSession(world, project)
    const other = await givenSession(world, await givenProject(world))
    const { status, body } = await block()
    expect(status).toBe(200)
    expect(body).toEqual({ memberId: users.ada, reason, since: expect.any(String), until: null })
    const gone = async () => {
      expect(await codeOf(validate(world, project, session.token))).toBe('INVALID_TOKEN')
      expect(await codeOf(refresh(session))).toBe('INVALID_TOKEN')
      for (const { token } of [session, other])
        expect(await codeOf(call(world.url, 'GET', '/api/auth/sessions', { token }))).toBe('INVALID_TOKEN')
    }
    await gone()
    expect((await unblock(users.ada)).status).toBe(204)
    await gone()
    const again = await givenSession(world, project)
    expect((await validate(world, project, again.token)).status).toBe(200)
  })

  test('is sent back to the site with access_denied, in words of a person, without the reason', async () => {
    await block()
    const end = await walkLogin(world, authorizePath(project.id))
    expect(end.searchParams.get('error')).toBe('access_denied')
    expect(end.searchParams.get('error_description')).toContain('blocked')
    expect(end.href).not.toContain(encodeURIComponent(reason).slice(0, 5))
    expect(end.searchParams.get('code')).toBeNull()
  })

  test('has no single sign-on: the browser that had one sees the screen of the platform', async () => {
    const browser = new Browser(world.url)
    await walkLogin(world, authorizePath(project.id), { browser })
    const sso = authorizePath(project.id, { prompt: 'none' }).replace('/authorize', '/sso/authorize')
    expect(new URL((await browser.get(sso)).headers.get('location') ?? '').searchParams.get('code')).toMatch(
      /^rcc_/,
    )
    await block()
    const asked = async () =>
      new URL((await browser.get(sso)).headers.get('location') ?? '').searchParams.get('error')
    expect(await asked()).toBe('login_required')
    await unblock(users.ada)
    expect(await asked()).toBe('login_required')
  })

  test('gets nothing for a code that was issued before: 403 MEMBER_BLOCKED, and 401 once the block has ended', async () => {
    const code = await givenCode(world, project)
    const kept = await givenCode(world, project)
    await block()
    const refused = await exchange(world, project, code)
    expect(refused.status).toBe(403)
    expect(refused.body.code).toBe('MEMBER_BLOCKED')
    expect(await codeOf(exchange(world, project, code))).toBe('MEMBER_BLOCKED')
    await unblock(users.ada)
    expect((await exchange(world, project, kept)).status).not.toBe(200)
  })

  test('is allowed nothing by their roles, which they keep, asked for alone or among many', async () => {
    const check = () =>
      call(world.url, 'POST', `/api/servers/${mainGuildId}/permissions/check`, {
        key: project.key,
        body: { memberId: users.ada },
      })
    const many = () =>
      call(world.url, 'POST', `/api/servers/${mainGuildId}/permissions/check-many`, {
        key: project.key,
        body: { memberIds: [users.ada, users.joon] },
      })
    // Both come from the cache as well: members with a session have cache entries.
    await givenSession(world, project, users.joon)
    await validate(world, project, (await givenSession(world, project)).token)
    expect((await check()).body.allowed).toBe(true)
    await block()
    const { body } = await check()
    expect(body).toMatchObject({ allowed: false, isMember: true })
    expect(body.roles).not.toEqual([])
    const of = async () => (await many()).body.data.map(({ allowed }: { allowed: boolean }) => allowed)
    expect(await of()).toEqual([false, true])
    await unblock(users.ada)
    expect((await check()).body.allowed).toBe(true)
    expect(await of()).toEqual([true, true])
  })

  test('who is an admin has no admin session, in the header or the cookie, and gets none', async () => {
    world.sim.world.setRoles(mainGuildId, users.joon, [roles.steward])
    const token = await givenAdmin(world, users.joon)
    const profile = (sent: object) => codeOf(call(world.url, 'GET', '/api/admin/profile', sent))
    const cookie = { headers: { cookie: `svc_admin=${token}`, 'sec-fetch-site': 'same-origin' } }
    expect(await profile({ token })).toBe(200)
    expect(await profile(cookie)).toBe(200)
    await block(users.joon)
    expect(await profile({ token })).toBe('INVALID_TOKEN')
    expect(await profile(cookie)).toBe('INVALID_TOKEN')
    await expect(walkAdminLogin(world, users.joon)).rejects.toThrow(/answered 403.*MEMBER_BLOCKED/s)
    await unblock(users.joon)
    expect(await profile({ token: await walkAdminLogin(world, users.joon) })).toBe(200)
    world.sim.world.setRoles(mainGuildId, users.joon, [])
  })

  test('is blocked until the given end, by the clock of the database, and then unblocked without a request', async () => {
    const code = await givenCode(world, project)
    const until = new Date(Date.now() + 3_600_000).toISOString()
    expect((await block(users.ada, { until })).body.until).toBe(until)
    await expect(givenCode(world, project)).rejects.toThrow('access_denied')
    await later(world.service, 3_590, async () => {
      await expect(givenCode(world, project)).rejects.toThrow('access_denied')
    })
    await later(world.service, 3_610, async () => {
      const session = (await exchange(world, project, await givenCode(world, project))).body
      expect((await validate(world, project, session.token)).status).toBe(200)
      expect((await exchange(world, project, code)).status).not.toBe(200)
    })
  })

  test('PUT again changes reason and end, and the same once more changes nothing; each change is one entry', async () => {
    const before = (await entries()).length
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const first = await block()
    const changed = await block(users.ada, { reason: 'Another one', until })
    expect(changed.body).toEqual({ ...first.body, reason: 'Another one', until })
    expect((await block(users.ada, { reason: 'Another one', until })).body).toEqual(changed.body)
    await unblock(users.ada)
    await unblock(users.ada)
    const left = (await entries()).slice(before)
    expect(left.map(({ action }) => action)).toEqual(['member.block', 'member.block', 'member.unblock'])
    expect(new Set(left.map(({ targetId }) => targetId))).toEqual(new Set([users.ada]))
  })

  test('is shown as such in the lists and the details of members', async () => {
    const details = async () => (await asAdmin('GET', `/${users.ada}/servers`)).body
    const listed = async () =>
      (await asAdmin('GET', '?search=ada&limit=100')).body.data.find(
        ({ memberId }: { memberId: string }) => memberId === users.ada,
      ).blocked
    expect(await details()).toMatchObject({ blocked: false, block: null })
    expect(await listed()).toBe(false)
    const { body } = await block()
    const { memberId: _, ...facts } = body
    expect(await details()).toMatchObject({ blocked: true, block: facts })
    expect(await listed()).toBe(true)
    await unblock(users.ada)
    expect(await details()).toMatchObject({ blocked: false, block: null })
    expect(await listed()).toBe(false)
  })

  test('is told of to the projects that know them, with the end of their sessions, and to no other', async () => {
    const [given, other] = [await givenProject(world), await givenProject(world)]
    await givenSession(world, given)
    const [reader, stranger] = [await openEvents(world.url, given), await openEvents(world.url, other)]
    const until = new Date(Date.now() + 3_600_000).toISOString()
    await block(users.ada, { until })
    await reader.until('session.revoked')
    await reader.until('member.blocked')
    expect(reader.events.map(({ data }) => data)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ memberId: users.ada, reason: 'member_blocked' }),
        expect.objectContaining({ memberId: users.ada, until }),
      ]),
    )
    expect(JSON.stringify(reader.events)).not.toContain(reason)
    await unblock(users.ada)
    await reader.until('member.unblocked')
    expect(reader.types().toSorted()).toEqual(['member.blocked', 'member.unblocked', 'session.revoked'])
    expect(stranger.events).toEqual([])
    reader.close()
    stranger.close()
  })

  test('must be known, not the admin who asks, and blocked until a time that is to come', async () => {
    expect(await codeOf(block('999999999999999999'))).toBe('MEMBER_NOT_FOUND')
    expect(await codeOf(unblock('999999999999999999'))).toBe('MEMBER_NOT_FOUND')
    expect(await codeOf(block(users.mara))).toBe('OWN_ACCOUNT')
    const past = await block(users.ada, { until: new Date(Date.now() - 60_000).toISOString() })
    expect(past.status).toBe(400)
    expect(past.body.errors).toMatchObject([{ path: '/until' }])
    for (const wrong of ['', ' ', 'two\nlines', 'x'.repeat(501), 5])
      expect(await codeOf(block(users.ada, { reason: wrong }))).toBe('VALIDATION_FAILED')
  })
})
