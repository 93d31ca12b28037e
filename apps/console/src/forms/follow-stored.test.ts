import fc from 'fast-check'
import { expect, test } from 'vitest'
import { followStored } from './follow-stored.ts'

const value = fc.oneof(fc.string({ maxLength: 2 }), fc.boolean(), fc.array(fc.string({ maxLength: 1 })))
const fields = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value)

test('a field that the user has not changed follows, and a field that the user has changed stays', () => {
  fc.assert(
    fc.property(fields, fields, fields, (before, typed, stored) => {
      const followed = followStored({ ...before, ...typed }, before, stored)
      for (const key of ['a', 'b', 'c', 'd']) {
        const mine = typed[key] ?? before[key]
        const isChanged = JSON.stringify(mine) !== JSON.stringify(before[key])
        expect(followed[key]).toEqual(isChanged ? mine : stored[key])
      }
    }),
  )
})

test('the entries of a map are compared one by one', () => {
  const of = (groupNames: Record<string, string> | null) => ({ groupNames })
  expect(followStored(of({ crew: 'mine' }), of(null), of({ captain: 'theirs' }))).toEqual(
    of({ crew: 'mine', captain: 'theirs' }),
  )
  expect(followStored(of(null), of({ crew: 'old' }), of({ crew: 'old', captain: 'theirs' }))).toEqual(
    of({ captain: 'theirs' }),
  )
  expect(followStored(of(null), of({ crew: 'old' }), of({ crew: 'new' }))).toEqual(of(null))
  expect(followStored(of({ crew: 'old', mate: 'mine' }), of({ crew: 'old' }), of(null))).toEqual(
    of({ mate: 'mine' }),
  )
})

test('an equal value stays the same object, so that no editor starts anew', () => {
  const schema = { type: 'object' }
  expect(followStored({ schema }, { schema }, { schema: { type: 'object' } }).schema).toBe(schema)
})
