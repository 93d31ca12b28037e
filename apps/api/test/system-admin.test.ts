import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../src/platform/db/sql.ts'
import { call } from './client.ts'
import { later } from './clock.ts'
import { mainEngines } from './databases.ts'
import { Browser, givenAdmin, givenProject, givenSession, validate, walkLogin } from './given.ts'
import { startWorld, type World } from './service.ts'

const { joon } = demo.users
const { steward, captain } = demo.roles

describe.each(mainEngines)('System Admin on %s', (engine) => {
  const worlds = new Map<string, World>()
  beforeAll(async () => {
    for (const ttlMs of ['0', '300', '3600000']) {
      worlds.set(ttlMs, await startWorld(engine, { PERMISSION_TTL_MS: ttlMs }))
    }
  })
  afterAll(async () => {
    for (const world of worlds.values()) await world.close()
  })
  beforeEach(() => {
    for (const world of worlds.values()) give(world, steward)
  })

  const worldOf = (ttlMs: string) => worlds.get(ttlMs) as World
  const give = ({ sim }: World, role: string) => sim.world.setRoles(demo.mainGuildId, joon, [role])
  const profile = ({ url }: World, token: string) => call(url, 'GET', '/api/admin/profile', { token })
  const statusOf = async (world: World, token: string) => (await profile(world, token)).status

  test('losing the role ends access with the next request, and getting it back opens it, on a running session', async () => {
    const world = worldOf('0')
    const token = await givenAdmin(world, joon)
    expect(await statusOf(world, token)).toBe(200)
    give(world, captain)
    const refused = await profile(world, token)
    expect([refused.status, refused.body.code]).toEqual([403, 'NOT_SYSTEM_ADMIN'])
    expect((await call(world.url, 'GET', '/api/auth/sessions', { token })).status).toBe(200)
    give(world, steward)
    expect(await statusOf(world, token)).toBe(200)
  })

  test('access ends within permissionTtlMs', async () => {
    const world = worldOf('300')
    const token = await givenAdmin(world, joon)
    expect(await statusOf(world, token)).toBe(200)
    give(world, captain)
    const lostAt = performance.now()
    let askedAt = lostAt
    const ask = () => {
      askedAt = performance.now()
      return statusOf(world, token)
    }
    let lastGoodAt = lostAt
    while ((await ask()) === 200) lastGoodAt = askedAt
    expect(await statusOf(world, token)).toBe(403)
    // Measured from the time of the request, not of the response, which is late on a busy machine. The rest is for the
    // clock, which an instance computes from the database's last answer.
    expect(lastGoodAt - lostAt).toBeLessThan(300 + 700)
  })

  test('a changed permissionTtlMs holds for the next request', async () => {
    const world = worldOf('3600000')
    const token = await givenAdmin(world, joon)
    const admin = await givenAdmin(world)
    give(world, captain)
    expect(await statusOf(world, token)).toBe(200)
    const body = { cache: { permissionTtlMs: 0 } }
    await call(world.url, 'PATCH', '/api/admin/settings', { token: admin, body })
    expect(await statusOf(world, token)).toBe(403)
    await call(world.url, 'POST', '/api/admin/settings/reset', { token: admin })
  })

  test('the role in a server that is the main server no more gives no access', async () => {
    const world = worldOf('3600000')
    const { db } = world.service.deps
    const token = await givenAdmin(world, joon)
    expect(await statusOf(world, token)).toBe(200)
    const makeMain = async (id: string) => {
      await db.execute(sql`update servers set is_main = false where is_main`)
      await db.execute(sql`update servers set is_main = true where id = ${id}`)
    }
    await db.execute(sql`insert into servers (id, name) values (${demo.gamesGuildId}, 'Games')`)
    await makeMain(demo.gamesGuildId)
    expect(await statusOf(world, token)).toBe(403)
    await makeMain(demo.mainGuildId)
    expect(await statusOf(world, token)).toBe(200)
  })

  test('who leaves the main server loses the session, not only the access', async () => {
    const world = worldOf('0')
    const token = await givenAdmin(world, joon)
    world.sim.world.removeMember(demo.mainGuildId, joon)
    expect(await statusOf(world, token)).toBe(401)
    world.sim.world.addMember(demo.mainGuildId, joon, { roles: [steward] })
    expect(await statusOf(world, token)).toBe(401)
  })

  test('an outage of the platform takes no access away, and gives none', async () => {
    const world = worldOf('0')
    const token = await givenAdmin(world, joon)
    give(world, captain)
    expect(await statusOf(world, token)).toBe(403)
    const admin = await givenAdmin(world)
    await world.sim.down()
    give(world, steward)
    expect(await statusOf(world, admin)).toBe(200)
    expect(await statusOf(world, token)).toBe(403)
    await world.sim.up()
  })

  test.each(['0', '3600000'])(
    'a role without a vouching leader for five minutes opens nothing, while members stay signed in (permissionTtlMs %s)',
    async (ttlMs) => {
      const world = worldOf(ttlMs)
      const token = await givenAdmin(world)
      const project = await givenProject(world)
      const session = await givenSession(world, project, demo.users.mara)
      await world.sim.down()
      try {
        await later(world.service, 290, async () => expect(await statusOf(world, token)).toBe(200))
        await later(world.service, 310, async () => {
          const refused = await profile(world, token)
          expect([refused.status, refused.body.code]).toEqual([503, 'CHAT_PLATFORM_UNAVAILABLE'])
          expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
          expect((await validate(world, project, session.token)).status).toBe(200)
        })
      } finally {
        await world.sim.up()
      }
      await expect.poll(() => statusOf(world, token)).toBe(200)
    },
  )

  test('without the role there is no admin login', async () => {
    const world = worldOf('0')
    give(world, captain)
    await expect(walkLogin(world, '/api/auth/admin/login', { as: joon })).rejects.toThrow('answered 403')
    give(world, steward)
    expect((await walkLogin(world, '/api/auth/admin/login', { as: joon })).hash).toMatch(/^#code=rcc_/)
  })

  describe('the console’s cookie', () => {
    let world: World
    let cookie: string
    let attributes: string
    beforeEach(async () => {
      world = worldOf('3600000')
      const browser = new Browser(world.url)
      const end = await walkLogin(world, '/api/auth/admin/login', { browser, as: joon })
      const code = new URLSearchParams(end.hash.slice(1)).get('code')
      const reply = await call(world.url, 'POST', '/api/auth/admin/token', {
        body: { code, cookie: true },
        headers: { origin: world.url, cookie: browser.cookie },
      })
      expect(reply.status).toBe(200)
      expect(reply.body).not.toHaveProperty('token')
      const [line = ''] = reply.headers.getSetCookie()
      cookie = line.split(';', 1)[0] ?? ''
      attributes = line.slice(cookie.length)
    })
    const ask = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
      call(world.url, method, path, {
        headers: { cookie, ...headers },
        ...(body !== undefined && { body }),
      })

    test('scripts cannot read it, and other sites’ requests do not carry it', () => {
      expect(cookie).toMatch(/^svc_admin=rcs_/)
      expect(attributes).toMatch(/HttpOnly/i)
      expect(attributes).toMatch(/SameSite=Strict/i)
      expect(attributes).toMatch(/Path=\/api(;|$)/i)
    })

    test.each([
      ['Sec-Fetch-Site: same-origin', () => ({ 'sec-fetch-site': 'same-origin' })],
      ['its own Origin', () => ({ origin: world.url })],
    ])('is taken with %s, for reading and writing', async (_, headers) => {
      expect((await ask('GET', '/api/admin/profile', headers())).status).toBe(200)
      expect((await ask('PATCH', '/api/admin/profile', headers(), {})).status).toBe(200)
    })

    test.each([
      ['nothing', {}],
      ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
      ['Sec-Fetch-Site: same-site', { 'sec-fetch-site': 'same-site' }],
      ['Sec-Fetch-Site: none', { 'sec-fetch-site': 'none' }],
      ['another Origin', { origin: 'https://evil.example' }],
      ['Origin: null', { origin: 'null' }],
    ])('is refused with %s, and nothing is written', async (_, headers) => {
      const before = (await ask('GET', '/api/admin/profile', { origin: world.url })).body
      const preferredName = 'Planted'
      const reply = await ask('PATCH', '/api/admin/profile', headers as Record<string, string>, {
        preferredName,
      })
      expect([reply.status, reply.body.code]).toEqual([403, 'CROSS_SITE_REQUEST'])
      expect((await ask('GET', '/api/admin/profile', { origin: world.url })).body).toEqual(before)
    })

    test('a Bearer token goes before it', async () => {
      const token = await givenAdmin(world)
      const { body } = await ask('GET', '/api/admin/profile', { authorization: `Bearer ${token}` })
      expect(body.id).toBe(demo.users.mara)
    })

    test('logging out ends it everywhere', async () => {
      const token = cookie.slice('svc_admin='.length)
      const reply = await ask('POST', '/api/auth/admin/logout', { origin: world.url })
      expect(reply.headers.getSetCookie().join()).toMatch(/svc_admin=;.*Max-Age=0/i)
      expect((await ask('GET', '/api/admin/profile', { origin: world.url })).status).toBe(401)
      expect(await statusOf(world, token)).toBe(401)
    })
  })
})
