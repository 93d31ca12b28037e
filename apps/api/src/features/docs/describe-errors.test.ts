import { describe, expect, test } from 'vitest'
import { describeErrors, fixOf } from './describe-errors.ts'

describe('a fix', () => {
  test('with steps has them as an ordered list', () => {
    expect(fixOf('Check these. 1. The key. 2. If there is one, the ID. 3. If not, the name.')).toEqual({
      lead: 'Check these.',
      items: ['The key.', 'If there is one, the ID.', 'If not, the name.'],
      isOrdered: true,
    })
  })

  test('with several conditions has them as a list', () => {
    expect(fixOf('Check it. If it is old, wait. Then try again. If it is new, ask.')).toEqual({
      lead: 'Check it.',
      items: ['If it is old, wait. Then try again.', 'If it is new, ask.'],
      isOrdered: false,
    })
  })

  test('with one condition has no list', () => {
    const text = 'Check it. If it is old, wait.'
    expect(fixOf(text)).toEqual({ lead: text, items: [], isOrdered: false })
  })
})

test('PAYLOAD_TOO_LARGE lists every limit, with the most frequent one first', () => {
  const [one] = describeErrors().find(({ code }) => code === 'PAYLOAD_TOO_LARGE')?.cases ?? []
  const byName = new Map(
    one?.accepted.flatMap(({ value, by }) => by.map(({ name }) => [name, value] as const)),
  )
  expect(byName.get('POST /api/inbound-webhooks/{id}/submit')).toBe('at most 256 KiB')
  expect(byName.get('PUT /api/admin/projects/{id}/logo')).toBe('at most 64 KiB')
  expect(one?.accepted[0]).toEqual({ value: 'at most 16 KiB', by: [] })
})
