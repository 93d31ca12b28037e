import fc from 'fast-check'
import { expect, test } from 'vitest'
import { conflictsOf, followStored } from './follow-stored.ts'

const value = fc.oneof(fc.string({ maxLength: 2 }), fc.boolean(), fc.array(fc.boolean(), { minLength: 1 }))
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

test('a list keeps what is added and removed on either side', () => {
  const entries = fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c', 'd', 'e'))
  fc.assert(
    fc.property(entries, entries, entries, (before, mine, theirs) => {
      const { list } = followStored({ list: mine }, { list: before }, { list: theirs })
      const expected = ['a', 'b', 'c', 'd', 'e'].filter((entry) =>
        mine.includes(entry) === before.includes(entry) ? theirs.includes(entry) : mine.includes(entry),
      )
      expect([...list].sort()).toEqual(expected)
    }),
  )
})

test('a line that is being typed stays the last line of its list', () => {
  const merged = followStored({ hosts: ['a', 'wik', ''] }, { hosts: ['a'] }, { hosts: ['a', 'b'] })
  expect(merged.hosts).toEqual(['a', 'b', 'wik', ''])
})

test('only a field that both have changed differently, and that cannot be merged, is in conflict', () => {
  const before = { name: 'old', note: 'old', hosts: ['a'], groupNames: null }
  const mine = { name: 'mine', note: 'same', hosts: ['a', 'b'], groupNames: { crew: 'mine' } }
  const stored = { name: 'theirs', note: 'same', hosts: ['c'], groupNames: { crew: 'theirs' } }
  expect(conflictsOf(mine, before, stored)).toEqual(['name'])
  expect(conflictsOf(before, before, stored)).toEqual([])
})

test('an equal value stays the same object, so that no editor starts anew', () => {
  const schema = { type: 'object' }
  expect(followStored({ schema }, { schema }, { schema: { type: 'object' } }).schema).toBe(schema)
})
