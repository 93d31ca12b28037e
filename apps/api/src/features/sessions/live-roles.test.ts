import { demo } from '@rolecall/chat-sim'
import { fieldsOf } from '@rolecall/contract'
import { describe, expect, test, vi } from 'vitest'
import { atOnce } from '../../../test/at-once.ts'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { exchange, givenCode, givenProject, givenSession, validate } from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

const { mainGuildId, gamesGuildId, roles, gamesRoles, users } = demo

describe.each(mainEngines)('POST /api/auth/validate, with roles read each time, on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '0' })
  const project = projectForTests(world)

  const validated = async (token: string) => {
    const reply = await validate(world, project, token)
    expect(reply.status).toBe(200)
    return reply.body
  }
  const roleIds = async (token: string) =>
    (await validated(token)).roles.map(({ roleId }: { roleId: string }) => roleId)

  test('answers who it is, the roles now, the session, and how fresh that is', async () => {
    const { token, expiresAt } = await givenSession(world, project)
    const { member, roles: held, session, ...rest } = await validated(token)
    expect(Object.keys(member).sort()).toEqual(
      [...fieldsOf('session'), 'id', 'isClubMember', 'createdAt', 'updatedAt', 'syncedAt'].sort(),
    )
    expect(member).toMatchObject({ id: users.ada, displayName: 'Ada (first mate)', isClubMember: true })
    expect(held).toEqual([{ roleId: roles.crew, roleName: 'Crew', roleColor: 0x2980b9, rolePosition: 6 }])
    expect(session).toMatchObject({ serverId: mainGuildId, expiresAt })
    expect(rest).toEqual({ groups: ['Crew'], rolesAsOf: expect.stringMatching(/Z$/), rolesSource: 'rest' })
    expect(Date.now() - Date.parse(rest.rolesAsOf)).toBeLessThan(5_000)
  })

  test('a role given or taken, a new nickname and a renamed role are in the next answer', async () => {
    const { token } = await givenSession(world, project, users.tomas)
    expect(await roleIds(token)).toEqual([roles.deckhand, roles.starboardWatch])
    world.sim.world.setRoles(mainGuildId, users.tomas, [roles.captain])
    world.sim.world.setNick(mainGuildId, users.tomas, 'Cap’n')
    expect(await roleIds(token)).toEqual([roles.captain])
    expect((await validated(token)).member.displayName).toBe('Cap’n')
    world.sim.world.setRoles(mainGuildId, users.tomas, [])
    expect(await roleIds(token)).toEqual([])
    const role = world.sim.world.createRole(mainGuildId, {
      name: 'Night watch "quoted" \\ \u{1f319}',
      position: 3,
    })
    world.sim.world.setRoles(mainGuildId, users.tomas, [role.id])
    expect((await validated(token)).roles).toEqual([
      { roleId: role.id, roleName: 'Night watch "quoted" \\ \u{1f319}', roleColor: null, rolePosition: 3 },
    ])
  })

  test('roles of another server never show, nor do those of its sessions', async () => {
    const { db } = world.service.deps
    await db.execute(
      sql`insert into servers (id, name) values (${gamesGuildId}, 'Games') on conflict do nothing`,
    )
    const both = await givenProject(world, { serverIds: [mainGuildId, gamesGuildId] })
    const inClub = await exchange(world, both, await givenCode(world, both, users.mara))
    const inGames = await exchange(
      world,
      both,
      await givenCode(world, both, users.mara, { server_id: gamesGuildId }),
    )
    const seen = async (token: string) =>
      (await validate(world, both, token)).body.roles.map(({ roleId }: { roleId: string }) => roleId)
    expect(await seen(inClub.body.token)).toEqual([roles.steward, roles.crew, roles.portWatch])
    expect(await seen(inGames.body.token)).toEqual([gamesRoles.gameMaster])
    expect((await validate(world, both, inGames.body.token)).body.session.serverId).toBe(gamesGuildId)
  })

  test('of fifty simultaneous callers for one member one asks the platform, and all get the new roles', async () => {
    const { token } = await givenSession(world, project, users.kenji)
    const pause = world.sim.failNext('member', { delayMs: 1_200 })
    world.sim.journal.clear()
    world.sim.world.setRoles(mainGuildId, users.kenji, [roles.crew])
    const replies = await atOnce(50, () => validate(world, project, token))
    pause()
    for (const { body } of replies) expect(body.roles).toMatchObject([{ roleId: roles.crew }])
    expect(world.sim.journal.count('member')).toBe(1)
  })

  test('a platform that is slow is waited for 2 s, and then the mirror answers', async () => {
    const { token } = await givenSession(world, project, users.joon)
    const pause = world.sim.failNext('member', { delayMs: 20_000 })
    const since = performance.now()
    const body = await validated(token)
    const took = performance.now() - since
    pause()
    expect(body.rolesSource).toBe('mirror')
    expect(took).toBeGreaterThan(1_800)
    expect(took).toBeLessThan(10_000)
    await expect.poll(async () => (await validated(token)).rolesSource).toBe('rest')
  })

  test('a key that is revoked while the platform is asked gets no answer', async () => {
    const own = await givenProject(world)
    const { token } = await givenSession(world, own)
    const { chat, db } = world.service.deps
    const { member } = chat
    vi.spyOn(chat, 'member').mockImplementationOnce(async (...terms) => {
      await db.execute(sql`update api_keys set revoked_at = clock_now() where project_id = ${own.id}`)
      return member(...terms)
    })
    const reply = await validate(world, own, token)
    expect([reply.status, reply.body.code]).toEqual([401, 'INVALID_API_KEY'])
  })

  test('401 for what is no live session of this project, all the same', async () => {
    const other = await givenProject(world)
    const { token, refreshToken } = await givenSession(world, project)
    const bodies = new Set<string>()
    for (const [of, one] of [
      [other, token],
      [project, refreshToken],
      [project, project.key],
      [project, `${token}x`],
      [project, 'x'],
    ] as const) {
      const reply = await validate(world, of, one)
      expect(reply.status).toBe(401)
      const { requestId: _, ...body } = reply.body
      bodies.add(JSON.stringify(body))
    }
    expect(bodies.size).toBe(1)
  })

  test('400 names what is wrong with the body; a bad key is refused before that', async () => {
    for (const body of [
      {},
      { token: '' },
      { token: 1 },
      { token: ['x'] },
      { token: 'x', more: 1 },
      null,
      [],
    ]) {
      const path = '/api/auth/validate'
      expect((await call(world.url, 'POST', path, { key: project.key, body })).status).toBe(400)
      expect((await call(world.url, 'POST', path, { body })).body.code).toBe('INVALID_API_KEY')
    }
  })

  test('what a project may not do any more ends its sessions with the next request', async () => {
    const { db } = world.service.deps
    const own = await givenProject(world)
    const { token } = await givenSession(world, own)
    const status = async () => (await validate(world, own, token)).status
    expect(await status()).toBe(200)
    const undo = {
      'key revoked': [
        sql`update api_keys set revoked_at = clock_now() where project_id = ${own.id}`,
        sql`update api_keys set revoked_at = null where project_id = ${own.id}`,
      ],
    } as const
    for (const [what, [change, back]] of Object.entries(undo)) {
      await db.execute(change)
      expect(await status(), what).toBe(401)
      await db.execute(back)
      expect(await status(), `${what}, undone`).toBe(200)
    }
    // Clients are notified of these, so they are final: given-back.test.ts.
    const forGood = [
      (id: string) => sql`update server_access set can_read = false where project_id = ${id}`,
      (id: string) => sql`update projects set deactivated_at = clock_now() where id = ${id}`,
    ]
    for (const change of forGood) {
      const one = await givenProject(world)
      const { token: held } = await givenSession(world, one)
      expect((await validate(world, one, held)).status).toBe(200)
      await db.execute(change(one.id))
      expect((await validate(world, one, held)).status).toBe(401)
    }
  })
})
