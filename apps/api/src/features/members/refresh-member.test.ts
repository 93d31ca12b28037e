import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type World } from '../../../test/service.ts'
import type { Refreshed } from '../../deps.ts'

const club = demo.mainGuildId

let world: World
beforeAll(async () => {
  world = await startWorld('postgres')
})
afterAll(() => world.close())

test('however many members are due while the platform hangs, a bounded number waits for it', async () => {
  const { refreshMember } = world.service.deps
  world.sim.failFor('member', { delayMs: 2_000 }, 60_000)
  const ids = Array.from({ length: 300 }, (_, i) => String(146_000_000_000_000_000n + BigInt(i)))
  const settled: Refreshed[] = []
  const asked = ids.map((id) => refreshMember(club, id).then((outcome) => void settled.push(outcome)))
  await expect.poll(() => settled.length).toBe(100)
  expect(new Set(settled)).toEqual(new Set(['unavailable']))
  // The same members again join those who wait, and ask nothing of their own.
  const again = ids.slice(0, 200).map((id) => refreshMember(club, id))
  await expect.poll(() => world.sim.journal.count('member')).toBe(1)
  expect(settled).toHaveLength(100)
  await world.sim.down()
  await Promise.all([...asked, ...again])
  await world.sim.up()
})
