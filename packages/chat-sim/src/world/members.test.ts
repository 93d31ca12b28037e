import fc from 'fast-check'
import { expect, it } from 'vitest'
import { demo, demoWorld } from '../index.ts'
import { bulkId, bulkIndexAfter } from './bulk.ts'
import { createMembers } from './members.ts'
import { compareIds, snowflakeAt } from './snowflake.ts'

const generated = 30
const memberOf = (user_id: string, nick: string | null) => ({
  user_id,
  nick,
  avatar: null,
  roles: [],
  joined_at: '2024-01-01T00:00:00.000Z',
  pending: false,
  flags: 0,
  premium_since: null,
  communication_disabled_until: null,
})

/** Generated IDs, IDs between them, and IDs around them. */
const anyId = fc
  .integer({ min: 0, max: generated + 5 })
  .chain((index) =>
    fc.constantFrom(
      bulkId(index),
      (BigInt(bulkId(index)) + 1n).toString(),
      snowflakeAt(Date.UTC(2016, 0, index + 1)),
    ),
  )
const anyStep = fc.record({ id: anyId, removes: fc.boolean() })

it('pages like a plain sorted list after any additions and removals', () => {
  fc.assert(
    fc.property(
      fc.array(anyStep, { maxLength: 60 }),
      anyId,
      fc.integer({ min: 1, max: 40 }),
      (steps, after, limit) => {
        const members = createMembers()
        members.addRange({ from: 0, to: generated, roleIds: [] })
        const plain = new Set(Array.from({ length: generated }, (_, index) => bulkId(index)))
        const restore = members.remember()
        for (const { id, removes } of steps) {
          if (removes) expect(members.remove(id)).toBe(plain.delete(id))
          else {
            members.put(memberOf(id, 'put'))
            plain.add(id)
          }
        }
        expect(members.size).toBe(plain.size)
        const expected = [...plain].sort(compareIds).filter((id) => compareIds(id, after) > 0)
        expect(members.page(after, limit).map((member) => member.user_id)).toEqual(expected.slice(0, limit))
        restore()
        expect(members.page('0', 100)).toHaveLength(generated)
      },
    ),
  )
})

it('finds the first generated id above any id', () => {
  expect(bulkIndexAfter('0')).toBe(0)
  expect(bulkIndexAfter(bulkId(7))).toBe(8)
  expect(bulkIndexAfter((BigInt(bulkId(7)) - 1n).toString())).toBe(7)
})

it('has 200,000 members at once, and edits and removes any of them', () => {
  const world = demoWorld()
  const before = performance.now()
  const [first, last] = world.bulkMembers(demo.mainGuildId, 200_000)
  world.setRoles(demo.mainGuildId, last, [demo.roles.crew])
  world.removeMember(demo.mainGuildId, first)
  const guild = world.guilds.get(demo.mainGuildId)
  expect(guild?.members.size).toBe(201_210)
  expect(guild?.members.get(last)?.roles).toEqual([demo.roles.crew])
  expect(guild?.members.page(first, 1_000)).toHaveLength(1_000)
  // Half a second on an idle machine. A search through all of them at each step would take minutes.
  expect(performance.now() - before).toBeLessThan(5_000)
})
