import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { atPlatform, authorizePath, Browser } from '../../../test/given.ts'
import type { World } from '../../../test/service.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

const attacker = '203.0.113.9'
const honestLogins = 20

/** A browser behind a proxy that reports the browser's address. */
const from = (world: World, ip: string) => {
  const browser = new Browser(world.url)
  return (path: string) => browser.get(path, { 'x-forwarded-for': ip })
}

describe.each([
  ['postgres', 'with the limit of logins', '12000'],
  // Everything that is sent then reaches the queue for the platform.
  ['pglite', 'without any limit', '0'],
] as const)('one address that floods the login with junk codes on %s, %s', (engine, _, globalLimit) => {
  const world = worldForTests(engine, { TRUST_PROXY: '127.0.0.1', RATE_LIMIT_GLOBAL: globalLimit })
  const project = projectForTests(world)
  beforeAll(async () => {
    // The limit of the platform for an address; the service keeps to 40, regardless of the speed of the machine.
    world.sim.rateLimits.setLimit('token', { limit: 50, perMs: 1_000 })
  })

  const open = async (get: ReturnType<typeof from>) =>
    (await get(authorizePath(project.id))).headers.get('location') ?? ''

  test('keeps no other member from signing in', async () => {
    let junk = 0
    let isOver = false
    const flood = async () => {
      while (!isOver) {
        const get = from(world, attacker)
        const screen = await open(get)
        const state = screen === '' ? 'x' : new URL(screen).searchParams.get('state')
        await get(`/api/auth/callback?code=junk${junk}&state=${state}`)
        junk += 1
      }
    }
    const floods = Promise.all(Array.from({ length: 24 }, flood))
    await expect.poll(() => junk).toBeGreaterThan(40)

    const ends: string[] = []
    for (let i = 0; i < honestLogins; i++) {
      const get = from(world, `198.51.100.${i}`)
      const end = await get(await atPlatform(await open(get), { as: demo.users.ada }))
      const { searchParams } = new URL(end.headers.get('location') ?? 'none:')
      ends.push(searchParams.get('error') ?? (searchParams.has('code') ? 'in' : 'lost'))
    }
    isOver = true
    await floods
    expect(ends).toEqual(Array(honestLogins).fill('in'))
    expect(world.service.deps.chat.budget().open).toEqual([])
    // Few of the attacker's codes reached the platform, which rejected almost none for exceeding its limit. The
    // exceptions were in flight when the response to another one reported an exhausted limit.
    const asked = world.sim.journal.entries('token')
    expect(asked.filter(({ status }) => status === 429).length).toBeLessThan(asked.length / 10)
    expect(asked.length).toBeLessThan(honestLogins + junk / 2)
  })
})
