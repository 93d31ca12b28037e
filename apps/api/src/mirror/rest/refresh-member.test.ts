import { demo } from '@rolecall/chat-sim'
import { expect, test } from 'vitest'
import { DatabaseUnavailable } from '#platform/db/database'
import { worldForTests } from '../../../test/world-for-tests.ts'
import type { Refreshed } from '../mirror-deps.ts'
import { createMemberRefresher } from './refresh-member.ts'

const club = demo.mainGuildId

const world = worldForTests('postgres')

test('however many members are due while the platform hangs, a bounded number waits for it', async () => {
  const { refreshMember } = world.service.deps
  world.sim.failFor('member', { delayMs: 2_000 }, 60_000)
  const ids = Array.from({ length: 300 }, (_, i) => String(146_000_000_000_000_000n + BigInt(i)))
  const settled: Refreshed[] = []
  const asked = ids.map((id) => refreshMember(club, id).then((outcome) => void settled.push(outcome)))
  await expect.poll(() => settled.length).toBe(100)
  expect(new Set(settled)).toEqual(new Set(['unavailable']))
  // Requests for the same members join the running ones, and send nothing.
  const again = ids.slice(0, 200).map((id) => refreshMember(club, id))
  await expect.poll(() => world.sim.journal.count('member')).toBe(1)
  expect(settled).toHaveLength(100)
  await world.sim.down()
  await Promise.all([...asked, ...again])
  await world.sim.up()
})

test.each([
  ['answers everything with 429', { status: 429, retryAfterSec: 1 }],
  ['hangs', { delayMs: 5_000 }],
])('while the platform %s, one waits for it and the others do not', async (_, fault) => {
  const { refreshMember } = world.service.deps
  world.sim.failFor('member', fault, 60_000)
  const from = performance.now()
  let slow = 0
  for (let i = 0; performance.now() < from + 4_000; i++) {
    const askedAt = performance.now()
    const patience = new Promise((resolve) => setTimeout(resolve, 2_000))
    await Promise.race([refreshMember(club, String(147_000_000_000_000_000n + BigInt(i))), patience])
    if (performance.now() - askedAt > 100) slow += 1
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  // The first finds out; a busy machine may make another one late.
  expect(slow).toBeLessThanOrEqual(2)
  world.sim.clearFaults()
  await expect.poll(() => refreshMember(club, demo.users.ada), { timeout: 20_000 }).toBe('fresh')
})

test('a member whose refresh met an outage of the database is read again after it', async () => {
  const { deps } = world.service
  let isDown = true
  const { refreshMember } = createMemberRefresher({
    ...deps,
    mirrorMember: async (...reported) => {
      if (isDown) throw new DatabaseUnavailable(undefined)
      await deps.mirrorMember(...reported)
    },
  })
  await expect(refreshMember(club, demo.users.ada)).rejects.toThrow(DatabaseUnavailable)
  isDown = false
  expect(await refreshMember(club, demo.users.ada)).toBe('fresh')
})
