import type { UsageChart } from '@rolecall/sdk/admin'
import { describe, expect, test } from 'vitest'
import { linesOf, roundUp } from './chart.tsx'

const at = (hour: number) => new Date(Date.UTC(2026, 2, 1, hour)).toISOString()
const chartOf = (series: UsageChart['series']): UsageChart => ({
  bucket: '1h',
  from: at(0),
  to: at(3),
  series,
})

describe('the lines of a chart', () => {
  test('have a number for every bucket, 0 where nothing was counted', () => {
    const points = [
      { at: at(0), count: 3 },
      { at: at(2), count: 5 },
    ]
    const [line] = linesOf(chartOf([{ key: 'a', name: 'A', count: 8, points }]))
    expect(line?.values).toEqual([3, 0, 5, 0])
  })

  test('are six at most: what there is no room for is added up in the last one', () => {
    const series = Array.from({ length: 9 }, (_, i) => ({
      ...{ key: `${i}`, name: `Line ${i}`, count: 1 },
      points: [{ at: at(1), count: 1 }],
    }))
    const lines = linesOf(chartOf(series))
    expect(lines).toHaveLength(6)
    expect(lines.at(-1)).toMatchObject({ name: 'Others', count: 4, values: [0, 4, 0, 0] })
  })
})

test.each([
  [0, 1],
  [1, 1],
  [3, 5],
  [12, 20],
  [51, 100],
  [4_999, 5_000],
])('a scale for %i ends at %i', (value, top) => {
  expect(roundUp(value)).toBe(top)
})
