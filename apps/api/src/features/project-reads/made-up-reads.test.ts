import { demo } from '@rolecall/chat-sim'
import { beforeEach, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { type GivenProject, givenProject, givenSession, validate } from '../../../test/given.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const server = `/api/servers/${demo.mainGuildId}`
const madeUp = (n: number) => String(149_000_000_000_000_000n + BigInt(n))

describe.each(mainEngines)('one project that asks for made-up members on %s', (engine) => {
  let noisy: GivenProject
  let quiet: GivenProject
  let token: string
  const world = worldForTests(engine, { PERMISSION_TTL_MS: '0' })
  beforeEach(async () => {
    world.sim.clearFaults()
    noisy = await givenProject(world)
    quiet = await givenProject(world)
    token = (await givenSession(world, quiet)).token
  })

  const read = (memberId: string, { key }: GivenProject) =>
    call(world.url, 'GET', `${server}/members/${memberId}`, { key })
  const check = (memberId: string, { key }: GivenProject) =>
    call(world.url, 'POST', `${server}/permissions/check`, { key, body: { memberId } })
  const sourceOf = async () => (await validate(world, quiet, token)).body.rolesSource

  test('does not mark the server as failing, for any response of the platform', async () => {
    const faults = [
      { status: 503 },
      { status: 429, retryAfterSec: 1, scope: 'shared' as const },
      { reset: true },
    ]
    for (const fault of faults) {
      world.sim.failFor('member', fault, 60_000, { path: '/members/149' })
      const replies = await Promise.all([1, 2, 3].map((n) => (n % 2 ? read : check)(madeUp(n), noisy)))
      expect(replies.map(({ status }) => status)).toEqual([503, 503, 503])
      world.sim.clearFaults()
      expect(await sourceOf()).toBe('rest')
    }
  })

  test('nor when the platform is slow about them, and delays no other caller', async () => {
    world.sim.failFor('member', { delayMs: 1_500 }, 60_000, { path: '/members/149' })
    const reads = Array.from({ length: 20 }, (_, n) => read(madeUp(n), noisy))
    await Promise.all(reads)
    world.sim.clearFaults()
    expect(await sourceOf()).toBe('rest')
  })

  test('is told to wait once its budget is used up, and no other caller is', async () => {
    const statuses = new Set<number>()
    for (let n = 0; n < 300 && !statuses.has(429); n += 10) {
      const replies = await Promise.all(
        Array.from({ length: 10 }, (_, i) => (i % 2 ? read : check)(madeUp(n + i), noisy)),
      )
      for (const { status } of replies) statuses.add(status)
    }
    expect(statuses).toContain(429)
    const asked = world.sim.journal.count('member')
    const refused = await read(madeUp(1_000), noisy)
    expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED'])
    expect(world.sim.journal.count('member')).toBe(asked)
    expect((await read(madeUp(1_000), quiet)).status).toBe(404)
    expect((await read(demo.users.ada, noisy)).status).toBe(200)
    expect(await sourceOf()).toBe('rest')
  })
})
