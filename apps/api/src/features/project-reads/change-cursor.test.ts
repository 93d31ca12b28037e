import { projectReads } from '@rolecall/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type ChangeCursor,
  formatChangeCursor,
  parseChangeCursor,
  type Seen,
  seenIn,
} from './change-cursor.ts'

const xids = fc.uniqueArray(fc.bigInt({ min: 3n, max: 10n ** 18n - 1n }), { minLength: 1, maxLength: 200 })
const snapshots = xids.map((all) => {
  const sorted = all.toSorted((a, b) => (a < b ? -1 : 1))
  const end = sorted.at(-1) ?? 3n
  const running = sorted.slice(0, -1)
  return { text: `${running[0] ?? end}:${end}:${running.join(',')}`, end, running }
})
const sees = ({ end, running }: Seen, xid: bigint) => xid < end && !running.includes(xid)

test('a cursor is read as it was written, and is of the pattern that the contract names', () => {
  const { changedSince } = projectReads.listServerMembers.query.properties
  const { pattern, maxLength } = changedSince as { pattern?: string; maxLength?: number }
  const cursors: fc.Arbitrary<ChangeCursor> = fc.record({
    seen: snapshots.map(({ text }) => seenIn(text)),
    page: fc.option(
      fc.record({
        until: snapshots.map(({ text }) => seenIn(text)),
        xid: fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }).map(String),
        memberId: fc.bigInt({ min: 1n, max: 10n ** 20n - 1n }).map(String),
      }),
      { nil: undefined },
    ),
    deletions: fc.nat({ max: 999_999_999 }),
  })
  fc.assert(
    fc.property(cursors, (cursor) => {
      const text = formatChangeCursor(cursor)
      expect(text).toMatch(new RegExp(pattern ?? '$.'))
      expect(text.length).toBeLessThanOrEqual(maxLength ?? 0)
      expect(parseChangeCursor(text)).toEqual(cursor)
    }),
  )
})

test('a cursor never says that a transaction was seen which was not', () => {
  fc.assert(
    fc.property(snapshots, fc.bigInt({ min: 3n, max: 10n ** 18n }), ({ text, end, running }, other) => {
      for (const xid of [...running, end, other])
        if (sees(seenIn(text), xid)) expect(sees({ end, running }, xid)).toBe(true)
    }),
  )
})
