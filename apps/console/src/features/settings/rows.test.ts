import { describe, expect, test } from 'vitest'
import { changesOf, editableRows, foreverOf, problemOf, rowsOf, valueText } from './rows.ts'

const values = {
  cache: { statsTtlMs: { editable: true, value: 300 }, permissionTtlMs: { editable: true, value: 5 } },
}
const [stats] = rowsOf('cache').filter(({ key }) => key === 'statsTtlMs')

describe('the rows of the settings', () => {
  test('are the contract’s, and those that can be changed have bounds', () => {
    expect(editableRows.length).toBeGreaterThan(5)
    expect(stats).toMatchObject({ path: 'cache.statsTtlMs', bounds: { min: 0, max: 86_400_000 } })
  })

  test('leave out what is deprecated, and name no unit in a label', () => {
    expect(rowsOf('cache').map(({ label }) => label)).toEqual(['Permission TTL', 'Stats TTL'])
  })

  test('say a duration in the units that people use', () => {
    const [audit] = rowsOf('retention').filter(({ key }) => key === 'auditDays')
    const [session] = rowsOf('security').filter(({ key }) => key === 'sessionTtlSec')
    const [webhooks] = rowsOf('rateLimit').filter(({ key }) => key === 'maxWebhooksPerProject')
    if (!audit || !session || !webhooks) throw new Error('The contract lacks a setting.')
    expect(valueText(audit, 90)).toBe('90 days')
    expect(valueText(audit, 36_500)).toBe('forever')
    expect(valueText(session, 604_800)).toBe('7 days')
    expect(valueText(webhooks, 10)).toBe('10')
    expect([audit, session, webhooks].map(foreverOf)).toEqual([36_500, undefined, undefined])
    expect(problemOf(audit, '89')).toBe('Must be from 90 days to forever')
  })

  test('send what differs, and nothing where nothing does', () => {
    expect(changesOf(values, { 'cache.statsTtlMs': '300' })).toBeUndefined()
    expect(changesOf(values, { 'cache.statsTtlMs': '7', 'cache.permissionTtlMs': '5' })).toEqual({
      cache: { statsTtlMs: 7 },
    })
  })

  test.each([
    ['', true],
    ['1.5', true],
    ['-1', true],
    ['86400001', true],
    ['0', false],
    [undefined, false],
  ])('say what is wrong with %s', (text, isWrong) => {
    expect(stats && problemOf(stats, text) !== undefined).toBe(isWrong)
  })
})
