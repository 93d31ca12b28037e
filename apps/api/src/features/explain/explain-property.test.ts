import { demo, type Fault } from '@rolecall/chat-sim'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { everythingStored } from '../../../test/everything-stored.ts'
import {
  atPlatform,
  authorizePath,
  Browser,
  exchange,
  type GivenProject,
  redirectUri,
  validate,
} from '../../../test/given.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { sql } from '../../platform/db/sql.ts'
import { createProject } from '../projects/create-project.ts'

/** Set FC_SEED to test the same worlds again. */
const seed = Number(process.env['FC_SEED'] ?? Date.now() % 2 ** 31)
const runs = Number(process.env['FC_RUNS'] ?? 40)

const { mainGuildId: club, gamesGuildId: games, users, roles } = demo
const roleIds: readonly string[] = [roles.crew, roles.captain, roles.deckhand]

const seldom = <T>(usual: T, ...others: readonly T[]) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) })
const someRoles = fc.option(fc.uniqueArray(fc.constantFrom(...roleIds), { minLength: 1, maxLength: 2 }), {
  nil: undefined,
  freq: 2,
})

/** Everything that a sign-in depends on. */
const anyWorld = fc.record({
  project: seldom('active', 'inactive', 'deleted', 'unknown'),
  access: seldom('mapping', 'internal', 'no READ', 'none'),
  key: seldom('works', 'revoked'),
  isListed: seldom(true, false),
  serverId: seldom<string>(club, games),
  memberId: fc.constantFrom<string>(users.ada, users.joon, users.piper, users.noor, users.emil, users.viktor),
  /**
   * The mirror received a departure later than the time of the platform's answer: from the gateway, or by a clock that
   * ran on.
   */
  isLeaving: seldom(false, true),
  isBlocked: seldom(false, true),
  fault: seldom<Fault | undefined>(undefined, { status: 503 }, { html200: true }),
  anyOf: someRoles,
  allOf: someRoles,
  assume: fc.option(
    fc.record(
      { isMember: fc.boolean(), addRoleIds: someRoles, removeRoleIds: someRoles },
      { requiredKeys: [] },
    ),
    { nil: undefined },
  ),
})
type RandomWorld = typeof anyWorld extends fc.Arbitrary<infer W> ? W : never

const allowed: RandomWorld = {
  project: 'active',
  access: 'mapping',
  key: 'works',
  isListed: true,
  serverId: club,
  memberId: users.ada,
  isLeaving: false,
  isBlocked: false,
  fault: undefined,
  anyOf: undefined,
  allOf: undefined,
  assume: undefined,
}
/** Tried first with every seed: one sign-in that succeeds, and others that fail, each with another code. */
const knownWorlds: RandomWorld[] = [
  allowed,
  { ...allowed, project: 'inactive' },
  { ...allowed, access: 'none' },
  { ...allowed, key: 'revoked' },
  { ...allowed, memberId: users.emil },
  { ...allowed, isListed: false },
]

describe.each(mainEngines)('for any world on %s', (engine) => {
  const world = worldForTests(engine)
  const administrator = adminForTests(world)
  beforeAll(async () => {
    await call(world.url, 'POST', '/api/admin/servers', { ...administrator, body: { id: games } })
  })

  const admin = (method: string, path: string, body?: unknown) =>
    call(world.url, method, path, { ...administrator, ...(body !== undefined && { body }) })

  let made = 0
  async function givenProject({ project, access, key, isListed, serverId }: RandomWorld) {
    made += 1
    const isInternal = access === 'internal'
    const redirectUris = [isListed ? redirectUri : 'https://elsewhere.example/']
    const input = { name: `World ${made}`, isInternal, redirectUris }
    const { id, apiKey } = await createProject(world.service.deps, {}, input)
    const path = `/api/admin/projects/${id}`
    if (access === 'mapping') await admin('PUT', `${path}/servers/${serverId}`, {})
    if (access === 'no READ')
      await admin('PUT', `${path}/servers/${serverId}`, { operations: { READ: false } })
    if (key === 'revoked') await admin('DELETE', `${path}/key`)
    if (project === 'inactive') await admin('PATCH', path, { isActive: false })
    if (project === 'deleted') await admin('DELETE', path)
    return { id: project === 'unknown' ? '01900000-0000-7000-8000-000000000000' : id, key: apiKey }
  }

  /** Makes the assumed change on the platform; returns a function that undoes it. */
  function makeTrue({ serverId, memberId, assume }: RandomWorld): () => void {
    const guild = world.sim.world.guilds.get(serverId)
    const before = guild?.members.get(memberId)
    const banned = guild?.bans.has(memberId)
    const known = new Set(guild?.roles.keys())
    const { isMember = before !== undefined, addRoleIds = [], removeRoleIds = [] } = assume ?? {}
    if (!isMember) world.sim.world.removeMember(serverId, memberId)
    else {
      world.sim.world.unban(serverId, memberId)
      const member = world.sim.world.addMember(serverId, memberId)
      const held = [...new Set([...member.roles, ...(addRoleIds ?? [])])]
      const left = held.filter((id) => known.has(id) && !removeRoleIds?.includes(id))
      world.sim.world.updateMember(serverId, memberId, { roles: left })
    }
    return () => {
      world.sim.world.removeMember(serverId, memberId)
      if (before) world.sim.world.addMember(serverId, memberId, before)
      if (banned) world.sim.world.ban(serverId, memberId)
    }
  }

  /** Runs while the mirror has a departure that is newer than the platform's answer. */
  async function leaving<T>({ isLeaving, memberId }: RandomWorld, run: () => Promise<T>): Promise<T> {
    if (!isLeaving) return run()
    const { db } = world.service.deps
    await db.execute(sql`
      update memberships set left_at = clock_now(), synced_at = clock_now() + interval '1 hour'
      where member_id = ${memberId} and left_at is null`)
    return run().finally(() =>
      db.execute(sql`update memberships set synced_at = clock_now() where member_id = ${memberId}`),
    )
  }

  /** Runs while an admin has blocked the member. */
  async function blocked<T>({ isBlocked, memberId }: RandomWorld, run: () => Promise<T>): Promise<T> {
    if (!isBlocked) return run()
    const path = `/api/admin/members/${memberId}/block`
    const { status } = await admin('PUT', path, { reason: 'A test' })
    return run().finally(() => (status === 200 ? admin('DELETE', path) : undefined))
  }

  const failing = async <T>(fault: Fault | undefined, run: () => Promise<T>): Promise<T> => {
    if (fault) world.sim.failNext('member', fault, { times: 20 })
    return run().finally(() => world.sim.clearFaults())
  }

  /** Signs the member in and makes the project's requests; returns the outcome. */
  async function logIn(
    project: GivenProject,
    asked: RandomWorld,
  ): Promise<{ code: string | null; roles?: unknown }> {
    const browser = new Browser(world.url)
    const begun = await browser.get(authorizePath(project.id, { server_id: asked.serverId }))
    if (begun.status !== 302) return { code: begun.body.code }
    const back = await atPlatform(begun.headers.get('location') ?? '', { as: asked.memberId })
    const end = await failing(asked.fault, () => browser.get(back))
    const { searchParams } = new URL(end.headers.get('location') ?? '')
    if (searchParams.has('error')) return { code: searchParams.get('error') }
    const session = await exchange(world, project, searchParams.get('code') ?? '')
    if (session.status !== 200) return { code: session.body.code }
    const { status, body } = await validate(world, project, session.body.token)
    if (status !== 200) return { code: body.code }
    const held = body.roles.map(({ roleId }: { roleId: string }) => roleId)
    const has = (id: string) => held.includes(id)
    const isAllowed = (asked.anyOf?.some(has) ?? true) && (asked.allOf?.every(has) ?? true)
    // Checks as the client library's requireMember() does.
    return { code: isAllowed ? null : 'ROLE_REQUIRED', roles: body.roles }
  }

  test(`explain says what a real login and validate then say, and writes nothing (FC_SEED=${seed})`, {
    timeout: 300_000,
  }, async () => {
    const codes = new Set<string | null>()
    await fc.assert(
      fc.asyncProperty(anyWorld, async (asked) => {
        const project = await givenProject(asked)
        const { serverId, memberId, anyOf, allOf, assume, fault } = asked
        const body = { projectId: project.id, serverId, memberId, redirectUri, anyOf, allOf, assume }
        const { explained, real } = await blocked(asked, () =>
          leaving(asked, async () => {
            const stored = await everythingStored(world.service.deps.db)
            const told = await failing(fault, () => admin('POST', '/api/admin/explain', body))
            expect(await everythingStored(world.service.deps.db)).toEqual(stored)
            const takeBack = makeTrue(asked)
            return { explained: told, real: await logIn(project, asked).finally(takeBack) }
          }),
        )
        expect(explained.status, explained.text).toBe(200)
        const { code, outcome, steps, roles: found } = explained.body
        expect(code, JSON.stringify(steps)).toBe(real.code)
        expect(outcome).toBe(real.code === null ? 'allowed' : 'refused')
        expect(steps.every(({ ok }: { ok: boolean }) => ok)).toBe(real.code === null)
        if (real.roles) expect(found).toEqual(real.roles)
        codes.add(code)
      }),
      {
        seed,
        numRuns: knownWorlds.length + runs,
        endOnFailure: true,
        examples: knownWorlds.map((known) => [known]),
      },
    )
    // Worlds that are all alike would prove little.
    expect(codes.size).toBeGreaterThanOrEqual(knownWorlds.length)
    expect(codes).toContain(null)
  })
})
