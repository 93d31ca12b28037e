import { expect, test } from 'vitest'
import { type Holder, unknownHolder } from './change-log-store.ts'
import { Holders } from './holders.ts'

const observe = (holders: Holders, rows: readonly Holder[], atMs: number) =>
  holders.observe(rows, { sentAtMs: atMs, receivedAtMs: atMs })
const row = { id: 'another', renewals: 1, acknowledged: '5:5:', isBehind: true }

test('a process is not waited for that said it has applied a change before the read was answered that saw it behind', () => {
  const holders = new Holders(2_000)
  observe(holders, [row], 0)
  holders.recordAcknowledgement('another', '9:9:')
  expect(holders.listBehind([row], '8:8:', 1)).toEqual([])
  expect(holders.listBehind([row], '10:10:', 1)).toEqual(['another'])
})

test('an acknowledgement of a process without a lease does not count', () => {
  const holders = new Holders(2_000)
  holders.recordAcknowledgement('another', '9:9:')
  observe(holders, [], 0)
  observe(holders, [row], 1)
  expect(holders.listBehind([row], '8:8:', 2)).toEqual(['another'])
})

test('what a process said is remembered until its row says so', () => {
  const holders = new Holders(2_000)
  observe(holders, [row], 0)
  holders.recordAcknowledgement('another', '9:9:')
  holders.recordAcknowledgement('another', '8:8:')
  observe(holders, [row], 1)
  expect([...holders.acknowledgementsByHolder]).toEqual([['another', '9:9:']])
  observe(holders, [{ ...row, acknowledged: '9:9:' }], 2)
  expect([...holders.acknowledgementsByHolder]).toEqual([])
})

const crashed = { id: unknownHolder, renewals: 0, acknowledged: '', isBehind: true }
const settled = { ...crashed, renewals: 1, isBehind: false }

test('a process is waited for while a crash may have taken its row: until its lease ends', () => {
  const holders = new Holders(2_000)
  observe(holders, [settled, row], 0)
  const wait = holders.wait('8:8:', ['another'], 0)
  observe(holders, [crashed], 1_000)
  expect(wait.remaining()).toEqual(['another'])
  expect(holders.endsAtMs('another')).toBe(2_000)
  observe(holders, [settled], 1_500)
  expect(wait.remaining()).toEqual([])
})

test('a read that was sent before a wait began ends neither the wait nor the lease of another process', () => {
  const holders = new Holders(2_000)
  holders.observe([row], { sentAtMs: 1, receivedAtMs: 2 })
  const wait = holders.wait('8:8:', ['another'], 2)
  // Its snapshot may be from before the change, or from before the other process joined.
  for (const found of [[{ ...row, isBehind: false }], []]) {
    holders.observe(found, { sentAtMs: 1, receivedAtMs: 3 })
    expect(wait.remaining()).toEqual(['another'])
    expect(holders.endsAtMs('another')).toBe(2_002)
  }
  holders.observe([{ ...row, isBehind: false }], { sentAtMs: 3, receivedAtMs: 4 })
  expect(wait.remaining()).toEqual([])
})
