import { expect, test } from 'vitest'
import { Holders } from './holders.ts'

const row = { id: 'another', renewals: 1, acknowledged: '5:5:', isBehind: true }

test('a process is not waited for that said it has applied a change before the read was answered that saw it behind', () => {
  const holders = new Holders(2_000)
  holders.observe([row], 0)
  holders.acknowledged('another', '9:9:')
  expect(holders.behind([row], '8:8:', 1)).toEqual([])
  expect(holders.behind([row], '10:10:', 1)).toEqual(['another'])
})

test('an acknowledgement of a process without a lease does not count', () => {
  const holders = new Holders(2_000)
  holders.acknowledged('another', '9:9:')
  holders.observe([], 0)
  holders.observe([row], 1)
  expect(holders.behind([row], '8:8:', 2)).toEqual(['another'])
})

test('what a process said is remembered until its row says so', () => {
  const holders = new Holders(2_000)
  holders.observe([row], 0)
  holders.acknowledged('another', '9:9:')
  holders.acknowledged('another', '8:8:')
  holders.observe([row], 1)
  expect([...holders.heard]).toEqual([['another', '9:9:']])
  holders.observe([{ ...row, acknowledged: '9:9:' }], 2)
  expect([...holders.heard]).toEqual([])
})
