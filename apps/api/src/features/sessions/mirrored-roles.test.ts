import { demo } from '@rolecall/chat-sim'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { later } from '../../../test/clock.ts'
import { mainEngines } from '../../../test/databases.ts'
import { countRows, exchange, givenCode, givenProject, givenSession, validate } from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

const { mainGuildId, gamesGuildId, roles, users } = demo

describe.each(mainEngines)('POST /api/auth/validate, with roles good for a minute, on %s', (engine) => {
  const world = worldForTests(engine)
  const project = projectForTests(world)
  beforeEach(() => world.sim.journal.clear())
  afterEach(async () => {
    world.sim.clearFaults()
    await world.sim.up()
  })

  const sourceOf = async (token: string) => (await validate(world, project, token)).body.rolesSource

  test('within PERMISSION_TTL_MS the platform is not asked again; after it, it is, once', async () => {
    const { token } = await givenSession(world, project)
    world.sim.journal.clear()
    for (let i = 0; i < 5; i++) expect(await sourceOf(token)).toBe('rest')
    expect(world.sim.journal.count()).toBe(0)
    world.sim.world.setRoles(mainGuildId, users.ada, [roles.captain])
    await later(world.service, 61, async () => {
      const { body } = await validate(world, project, token)
      expect(body.roles).toMatchObject([{ roleId: roles.captain }])
      expect(await sourceOf(token)).toBe('rest')
      expect(world.sim.journal.count('member')).toBe(1)
    })
    world.sim.world.setRoles(mainGuildId, users.ada, [roles.crew])
  })

  test('while the platform is down the mirror is served and says so; after 24 hours it is 503, and never 401', async () => {
    const { token } = await givenSession(world, project, users.yusra)
    await world.sim.down()
    await later(world.service, 3_600, async () => {
      const reply = await validate(world, project, token)
      expect(reply.status).toBe(200)
      expect(reply.body.rolesSource).toBe('mirror')
      expect(Date.now() - Date.parse(reply.body.rolesAsOf)).toBeLessThan(60_000)
    })
    await later(world.service, 25 * 3_600, async () => {
      const reply = await validate(world, project, token)
      expect({ status: reply.status, code: reply.body.code }).toEqual({
        status: 503,
        code: 'CHAT_PLATFORM_UNAVAILABLE',
      })
      expect(reply.headers.get('retry-after')).toMatch(/^\d+$/)
    })
    await world.sim.up()
    await expect
      .poll(() => later(world.service, 25 * 3_600, () => sourceOf(token)), { timeout: 5_000 })
      .toBe('rest')
  })

  // Only the platform's own response about this member ends a session.
  test('trouble never ends a session: unknown server, lost permission, 429, 5xx, garbage', async () => {
    const { token } = await givenSession(world, project, users.piper)
    const troubles = [
      { status: 404, code: 10_004 },
      { status: 403, code: 50_001 },
      { status: 429, retryAfterSec: 1 },
      { status: 500 },
      { html200: true },
      { reset: true },
    ] as const
    for (const [i, fault] of troubles.entries()) {
      const clear = world.sim.failFor('member', fault, 60_000)
      world.sim.journal.clear()
      // After a failure, one call a second checks whether the platform is back. This waits until such a call was sent.
      const asked = async () => {
        const { status, body } = await validate(world, project, token)
        expect({ status, source: body.rolesSource }, JSON.stringify(fault)).toEqual({
          status: 200,
          source: 'mirror',
        })
        return world.sim.journal.count('member')
      }
      await later(world.service, 120 + i * 61, () =>
        expect.poll(asked, { timeout: 5_000 }).toBeGreaterThan(0),
      )
      clear()
    }
    expect(
      await countRows(world, `memberships where member_id = '${users.piper}' and left_at is not null`),
    ).toBe(0)
  })

  test.each([
    [10_007, users.rosa],
    [10_013, users.layla],
  ])(
    'the platform’s word %s ends the sessions bound to that server, and no rejoining revives them',
    async (code, member) => {
      const { db } = world.service.deps
      await db.execute(
        sql`insert into servers (id, name) values (${gamesGuildId}, 'Games') on conflict do nothing`,
      )
      world.sim.world.addMember(gamesGuildId, member)
      const both = await givenProject(world, { serverIds: [mainGuildId, gamesGuildId] })
      const here = (await exchange(world, both, await givenCode(world, both, member))).body
      const there = (
        await exchange(world, both, await givenCode(world, both, member, { server_id: gamesGuildId }))
      ).body
      const statusOf = async ({ token }: { token: string }) => (await validate(world, both, token)).status
      const clear = world.sim.failFor('member', { status: 404, code }, 60_000, { path: mainGuildId })
      await later(world.service, 3_000, async () => {
        await expect.poll(() => statusOf(here), { timeout: 5_000 }).toBe(401)
        expect(await statusOf(there)).toBe(200)
        expect(
          (
            await call(world.url, 'POST', '/api/auth/token/refresh', {
              token: here.token,
              body: { refreshToken: here.refreshToken },
            })
          ).status,
        ).toBe(401)
        expect(
          await countRows(world, `audit_log where action = 'member.leave' and target_id = '${member}'`),
        ).toBe(1)
        clear()
        const again = (await exchange(world, both, await givenCode(world, both, member))).body
        expect(await statusOf(again)).toBe(200)
        expect(await statusOf(here)).toBe(401)
      })
    },
  )

  test('isClubMember is membership of the main server now, also in a session of another', async () => {
    const { db } = world.service.deps
    await db.execute(
      sql`insert into servers (id, name) values (${gamesGuildId}, 'Games') on conflict do nothing`,
    )
    const games = await givenProject(world, { serverIds: [gamesGuildId] })
    const of = async (as: string) => {
      const code = await givenCode(world, games, as, { server_id: gamesGuildId })
      return (await exchange(world, games, code)).body.member.isClubMember
    }
    expect(await of(users.noor)).toBe(false)
    await givenSession(world, project, users.joon)
    expect(await of(users.joon)).toBe(true)
  })
})
