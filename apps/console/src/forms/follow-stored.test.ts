import fc from 'fast-check'
import { expect, test } from 'vitest'
import { conflictsOf, differingKeys, followStored } from './follow-stored.ts'

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
  expect(followStored(of({ 1: 'mine' }), of(null), of({ 2: 'theirs' }))).toEqual(
    of({ 1: 'mine', 2: 'theirs' }),
  )
  expect(followStored(of(null), of({ 1: 'old' }), of({ 1: 'old', 2: 'theirs' }))).toEqual(of({ 2: 'theirs' }))
  expect(followStored(of(null), of({ 1: 'old' }), of({ 1: 'new' }))).toEqual(of(null))
  expect(followStored(of({ 1: 'old', 3: 'mine' }), of({ 1: 'old' }), of(null))).toEqual(of({ 3: 'mine' }))
})

test('a list keeps what is added and removed on either side', () => {
  const entries = fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c', 'd', 'e'))
  fc.assert(
    fc.property(entries, entries, entries, (before, mine, theirs) => {
      const { list } = followStored({ list: mine }, { list: before }, { list: theirs })
      const expected = ['a', 'b', 'c', 'd', 'e'].filter((entry) =>
        mine.includes(entry) === before.includes(entry) ? theirs.includes(entry) : mine.includes(entry),
      )
      // An empty list can mean that everyone is admitted.
      const isWidened = expected.length === 0 && mine.length > 0 && theirs.length > 0
      expect([...list].sort()).toEqual(isWidened ? mine.toSorted() : expected)
    }),
  )
})

test('a line that is being typed stays the last line of its list', () => {
  const merged = followStored({ hosts: ['a', 'wik', ''] }, { hosts: ['a'] }, { hosts: ['a', 'b'] })
  expect(merged.hosts).toEqual(['a', 'b', 'wik', ''])
})

test('only a field that both have changed differently, and that cannot be merged, is in conflict', () => {
  const before = { name: 'old', note: 'old', hosts: ['a'], groupNames: null, schema: { type: 'a' } }
  const mine = {
    name: 'mine',
    note: 'same',
    hosts: ['a', 'b'],
    groupNames: { 1: 'mine' },
    schema: { type: 'b' },
  }
  const stored = {
    name: 'theirs',
    note: 'same',
    hosts: ['c'],
    groupNames: { 1: 'theirs' },
    schema: { type: 'a', format: 'c' },
  }
  expect(conflictsOf(mine, before, stored)).toEqual(['name', 'groupNames', 'schema'])
  expect(conflictsOf(before, before, stored)).toEqual([])
})

test('an equal value stays the same object, so that no editor starts anew', () => {
  const schema = { type: 'object' }
  expect(followStored({ schema }, { schema }, { schema: { type: 'object' } }).schema).toBe(schema)
})

test('two administrators who each remove a required role do not admit everyone together', () => {
  const [mine, before, stored] = [['2'], ['1', '2'], ['1']].map((anyOf) => ({ anyOf })) as [Rule, Rule, Rule]
  expect(followStored(mine, before, stored)).toEqual(mine)
  expect(conflictsOf(mine, before, stored)).toEqual(['anyOf'])
})

interface Rule {
  readonly anyOf: string[]
}

test('an empty text is no change of a missing value, and the order of fields does not matter', () => {
  expect(differingKeys({ a: '', b: '1', c: 'x' }, { b: '1', c: 'y' })).toEqual(['c'])
  expect(differingKeys({ b: '1', a: '2' }, { a: '2', b: '1' })).toEqual([])
})
