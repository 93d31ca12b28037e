import { describe, expect, test } from 'vitest'
import { nextSort, sorted, sortOf } from './sort.ts'

const rows = [
  { name: 'Berth 10', uses: 2 },
  { name: 'anchor', uses: null },
  { name: 'Berth 9', uses: 30 },
]
const columns = [
  { header: 'Name', sortBy: ({ name }: (typeof rows)[number]) => name },
  { header: 'Last used', sortBy: ({ uses }: (typeof rows)[number]) => uses },
]
const names = (sort: string | undefined) => sorted(rows, columns, sortOf(sort)).map(({ name }) => name)

describe('a table', () => {
  test.each([
    ['name', ['anchor', 'Berth 9', 'Berth 10']],
    ['-name', ['Berth 10', 'Berth 9', 'anchor']],
    ['last-used', ['Berth 10', 'Berth 9', 'anchor']],
    ['-last-used', ['Berth 9', 'Berth 10', 'anchor']],
    ['nothing', ['Berth 10', 'anchor', 'Berth 9']],
    [undefined, ['Berth 10', 'anchor', 'Berth 9']],
  ])('is sorted by %s, with empty values last', (sort, order) => {
    expect(names(sort)).toEqual(order)
  })

  test('goes from ascending to descending and back to the order of the service', () => {
    expect(nextSort(undefined, 'name')).toBe('name')
    expect(nextSort(sortOf('uses'), 'name')).toBe('name')
    expect(nextSort(sortOf('name'), 'name')).toBe('-name')
    expect(nextSort(sortOf('-name'), 'name')).toBe('')
  })
})
