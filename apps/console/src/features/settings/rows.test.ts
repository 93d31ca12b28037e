import { describe, expect, test } from 'vitest'
import { changesOf, editableRows, problemOf, rowsOf } from './rows.ts'

const values = {
  cache: { statsTtlMs: { editable: true, value: 300 }, permissionTtlMs: { editable: true, value: 5 } },
}
const [stats] = rowsOf('cache').filter(({ key }) => key === 'statsTtlMs')

describe('the rows of the settings', () => {
  test('are the contract’s, and those that can be changed have bounds', () => {
    expect(editableRows.length).toBeGreaterThan(5)
    expect(stats).toMatchObject({ path: 'cache.statsTtlMs', bounds: { min: 0, max: 86_400_000 } })
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
