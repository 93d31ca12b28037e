import { demo } from '@rolecall/chat-sim'
import { afterEach, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import {
  exchange,
  givenCode,
  givenProject,
  givenSession,
  redirectUri,
  validate,
} from '../../../test/given.ts'
import { adminForTests, projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'

const { mainGuildId: club, gamesGuildId: games, users, roles, gamesRoles } = demo

interface Step {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
  readonly mend: string | null
}

describe.each(mainEngines)('POST /api/admin/explain on %s', (engine) => {
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '60000' })
  const admin = adminForTests(world)
  const project = projectForTests(world)
  afterEach(() => world.sim.clearFaults())

  async function explain(body: object = {}) {
    const asked = { projectId: project.id, memberId: users.ada, ...body }
    const reply = await call(world.url, 'POST', '/api/admin/explain', { ...admin, body: asked })
    expect(reply.status, reply.text).toBe(200)
    return reply.body
  }
  const failed = (steps: readonly Step[]) => steps.filter(({ ok }) => !ok).map(({ check }) => check)

  test('shows every check of authorize, callback, exchange and validate in the order in which they are asked', async () => {
    const { token: session } = await givenSession(world, project)
    const { steps, ...rest } = await explain({ anyOf: [roles.crew], allOf: [roles.crew] })
    expect(steps.map(({ check }: Step) => check)).toEqual([
      'authorize.project_known',
      'authorize.project_active',
      'authorize.redirect_uri_allowed',
      'authorize.server_accessible',
      'authorize.login_configured',
      'callback.platform_reachable',
      'callback.platform_answers',
      'callback.member_of_server',
      'callback.not_blocked',
      'callback.access_kept',
      'key.known',
      'key.project_active',
      'exchange.code_redeemed',
      'validate.session_live',
      'validate.roles_known',
      'roles.any_of',
      'roles.all_of',
    ])
    for (const step of steps) expect(step).toMatchObject({ ok: true, mend: null })
    const { roles: held } = (await validate(world, project, session)).body
    expect(rest).toEqual({
      ...{ outcome: 'allowed', code: null, roles: held, rolesSource: 'rest' },
      rolesAsOf: expect.stringMatching(/Z$/),
    })
  })

  test('names everything that is wrong at once, each with how to mend it, and the code of the first', async () => {
    const wrong = await givenProject(world, { serverIds: [] })
    await call(world.url, 'DELETE', `/api/admin/projects/${wrong.id}/key`, admin)
    await call(world.url, 'PATCH', `/api/admin/projects/${wrong.id}`, { ...admin, body: { isActive: false } })
    const { code, outcome, steps } = await explain({
      projectId: wrong.id,
      memberId: users.emil,
      redirectUri: 'https://elsewhere.example/',
    })
    expect({ code, outcome }).toEqual({ code: 'PROJECT_INACTIVE', outcome: 'refused' })
    expect(failed(steps)).toEqual([
      'authorize.project_active',
      'authorize.redirect_uri_allowed',
      'authorize.server_accessible',
      'callback.member_of_server',
      'key.known',
    ])
    for (const { ok, mend } of steps) expect(mend === null).toBe(ok)
  })

  test('takes the main server and the first redirect URI of the project where none is named', async () => {
    expect((await explain()).outcome).toBe('allowed')
    const bare = await givenProject(world, { redirectUris: [] })
    const { code, steps } = await explain({ projectId: bare.id })
    expect(code).toBe('REDIRECT_URI_NOT_ALLOWED')
    expect(steps.find(({ ok }: Step) => !ok).detail).toBe('The project has no redirect URI.')
    expect((await explain({ serverId: games })).code).toBe('SERVER_NOT_ACCESSIBLE')
  })

  test('refuses a bot, as the callback does', async () => {
    const { code, steps } = await explain({ memberId: users.tidebot })
    expect(code).toBe('access_denied')
    expect(failed(steps)).toEqual(['callback.member_of_server'])
  })

  test('while the platform is down a login is refused, and validate goes on from the mirror, until that is too old', async () => {
    const { token: session } = await givenSession(world, project)
    // A new confirmation time alone does not invalidate the cache; a nickname does.
    const age = (interval: string) =>
      world.service.deps.db.execute(sql`
        update memberships set synced_at = clock_now() - ${interval}::interval, nick = ${interval}
        where member_id = ${users.ada}`)
    await age('2 hours')
    world.sim.failNext('member', { status: 503 }, { times: 50 })
    const { code, steps, ...known } = await explain({ anyOf: [roles.crew] })
    expect(code).toBe('temporarily_unavailable')
    expect(failed(steps)).toEqual(['callback.platform_reachable'])
    const { roles: held, rolesAsOf, rolesSource } = (await validate(world, project, session)).body
    expect(rolesSource).toBe('mirror')
    expect(known).toEqual({ outcome: 'refused', roles: held, rolesAsOf, rolesSource })

    await age('25 hours')
    expect(failed((await explain()).steps)).toEqual(['callback.platform_reachable', 'validate.roles_known'])
    expect((await validate(world, project, session)).body.code).toBe('CHAT_PLATFORM_UNAVAILABLE')
    world.sim.clearFaults()
    expect((await explain()).outcome).toBe('allowed')
  })

  test('is decided by the statements of a login, too: a departure that the mirror heard of later than the platform was asked', async () => {
    const { execute } = world.service.deps.db
    await givenSession(world, project, users.yusra)
    await execute(sql`
      update memberships set left_at = clock_now(), synced_at = clock_now() + interval '1 hour'
      where member_id = ${users.yusra}`)
    const { code, steps } = await explain({ memberId: users.yusra })
    const refused = await exchange(world, project, await givenCode(world, project, users.yusra))
    await execute(sql`update memberships set synced_at = clock_now() where member_id = ${users.yusra}`)
    expect(refused.body.code).toBe('INVALID_CODE')
    expect({ code, failed: failed(steps) }).toEqual({
      code: 'INVALID_CODE',
      failed: ['exchange.code_redeemed'],
    })
  })

  test('says gateway while the gateway vouches for the server', async () => {
    await world.service.deps.db.execute(sql`
      update servers set live_as_of = clock_now(), live_until = clock_now() + interval '1 minute'
      where id = ${club}`)
    expect((await explain()).rolesSource).toBe('gateway')
    await world.service.deps.db.execute(sql`
      update servers set live_as_of = null, live_until = null where id = ${club}`)
    expect((await explain()).rolesSource).toBe('rest')
  })

  test('knows a role that the mirror does not know yet, and leaves the mirror as it is', async () => {
    const role = world.sim.world.createRole(club, { name: 'Boatswain' })
    const before = world.sim.world.updateMember(club, users.joon, {})
    world.sim.world.updateMember(club, users.joon, { roles: [...before.roles, role.id] })
    const { outcome, roles: held } = await explain({ memberId: users.joon, anyOf: [role.id] })
    world.sim.world.updateMember(club, users.joon, { roles: before.roles })
    expect(outcome).toBe('allowed')
    expect(held).toContainEqual(expect.objectContaining({ roleId: role.id, roleName: 'Boatswain' }))
    expect(await world.service.deps.db.maybeOne(sql`select from roles where id = ${role.id}`)).toBeUndefined()
  })

  test('assumes a change without making it', async () => {
    const assuming = async (assume: object, more: object = {}) => (await explain({ assume, ...more })).code
    expect(await assuming({ isMember: false })).toBe('access_denied')
    expect(await assuming({ isMember: true }, { memberId: users.emil })).toBeNull()
    expect(await assuming({ addRoleIds: [roles.captain] }, { allOf: [roles.crew, roles.captain] })).toBeNull()
    expect(await assuming({ removeRoleIds: [roles.crew] }, { anyOf: [roles.crew] })).toBe('ROLE_REQUIRED')
    // A role of another server cannot be given in this one.
    expect(await assuming({ addRoleIds: [gamesRoles.player] }, { anyOf: [gamesRoles.player] })).toBe(
      'ROLE_REQUIRED',
    )
    expect((await explain()).outcome).toBe('allowed')
    expect(
      await world.service.deps.db.maybeOne(sql`select from members where id = ${users.emil}`),
    ).toBeUndefined()
  })

  test('is for System Admins alone, and for bodies that say who and where', async () => {
    const body = { projectId: project.id, memberId: users.ada }
    const ask = (sent: object, as?: string) =>
      call(world.url, 'POST', '/api/admin/explain', { body: sent, ...(as && { token: as }) })
    expect((await ask(body)).status).toBe(401)
    expect((await ask(body, (await givenSession(world, project)).token)).body.code).toBe('NOT_SYSTEM_ADMIN')
    for (const wrong of [
      { memberId: users.ada },
      { projectId: project.id },
      { ...body, serverId: 'x' },
      { ...body, anyOf: [] },
      { ...body, redirectUri: '' },
      { ...body, assume: { isMember: 'yes' } },
      { ...body, assume: { roles: [] } },
    ]) {
      expect((await ask(wrong, admin.token)).body.code, JSON.stringify(wrong)).toBe('VALIDATION_FAILED')
    }
    expect((await ask({ ...body, redirectUri }, admin.token)).status).toBe(200)
  })

  test('asks the platform for one admin so often and no more, so that logins have their turn', async () => {
    const statuses = new Set<number>()
    // A new minute may begin meanwhile, in which the limit starts again.
    for (let asked = 0; asked < 1_000 && !statuses.has(429); asked += 10) {
      const unknown = { projectId: project.id, memberId: users.ada, serverId: '99999999999999999' }
      const replies = await Promise.all(
        Array.from({ length: 10 }, () =>
          call(world.url, 'POST', '/api/admin/explain', { ...admin, body: unknown }),
        ),
      )
      for (const { status } of replies) statuses.add(status)
    }
    expect(statuses).toContain(429)
  })
})
