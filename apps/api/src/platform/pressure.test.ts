import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { createPressure, type PressureLevel, processReadings } from './pressure.ts'

const sampleMs = 250
/** The shipped module: the global setup has built it. */
const pressureModule = new URL('../../dist/platform/pressure.js', import.meta.url).href
const fillHeap = `
  const [module, limitMb] = process.argv.slice(1)
  const { createPressure, processReadings } = await import(module)
  const silent = { info() {}, warn() {} }
  const pressure = createPressure(silent, processReadings(1, Number(limitMb)))
  pressure.watch()
  const turn = () => new Promise((resolve) => setTimeout(resolve, 1))
  const kept = []
  for (const level of [0, 1, 2]) {
    while (pressure.level() < level) {
      for (let i = 0; i < 500; i++) kept.push({ i, text: 'x' + kept.length })
      pressure.sample()
      await turn()
    }
    console.log('level ' + level)
  }
  kept.length = 0
  // As a service that refuses: it goes on making small things.
  while (pressure.level() > 0) {
    for (let i = 0; i < 500; i++) JSON.stringify({ i, text: 'y'.repeat(50) })
    await turn()
  }
  console.log('level 0 again')
`

/** Feeds samples: how late each came, and how full the memory was. Answers the level after each. */
function levelsOf(samples: readonly (readonly [lateMs: number, memory: number])[]) {
  const lines: string[] = []
  const log = { info: () => lines.push('info'), warn: () => lines.push('warn') }
  let now = 0
  let memory = 0
  const pressure = createPressure(log, { now: () => now, memory: () => memory })
  const end = pressure.watch()
  const levels: PressureLevel[] = samples.map(([lateMs, full]) => {
    now += sampleMs + lateMs
    memory = full
    pressure.sample()
    return pressure.level()
  })
  end()
  return { levels, lines, after: pressure.level() }
}

describe('pressure', () => {
  test('none: a loop that comes round in time, and memory to spare', () => {
    expect(
      levelsOf([
        [0, 0.1],
        [900, 0.5],
        [999, 0.9],
      ]),
    ).toMatchObject({ levels: [0, 0, 0], lines: [] })
  })

  test('one long pause is over when it is noticed, and refuses no request', () => {
    expect(
      levelsOf([
        [0, 0],
        [60_000, 0],
        [0, 0],
        [5_000, 0],
        [0, 0],
      ]).levels,
    ).toEqual([0, 0, 0, 0, 0])
  })

  test('a loop that stays behind by more than a second refuses new work, by more than three also validate', () => {
    const { levels } = levelsOf([
      [1_100, 0],
      [1_100, 0],
      [3_100, 0],
      [3_100, 0],
      [1_100, 0],
      [0, 0],
    ])
    expect(levels).toEqual([0, 1, 1, 2, 1, 0])
  })

  test('memory near its limit counts at once', () => {
    expect(
      levelsOf([
        [0, 0.89],
        [0, 0.91],
        [0, 0.96],
        [0, 0.5],
      ]).levels,
    ).toEqual([0, 1, 2, 0])
  })

  test('memory that goes up and down around a limit changes nothing until it is clearly below', () => {
    const { levels, lines } = levelsOf([
      [0, 0.96],
      [0, 0.94],
      [0, 0.96],
      [0, 0.925],
      [0, 0.915],
      [0, 0.895],
      [0, 0.875],
      [0, 0.865],
    ])
    expect(levels).toEqual([2, 2, 2, 2, 1, 1, 1, 0])
    expect(lines).toEqual(['warn', 'warn', 'info'])
  })

  test('each change is one line in the log, and nothing else is', () => {
    const { lines } = levelsOf([
      [0, 0.91],
      [0, 0.92],
      [0, 0.96],
      [0, 0.97],
      [0, 0.1],
      [0, 0.1],
    ])
    expect(lines).toEqual(['warn', 'warn', 'info'])
  })

  test('a process that is no longer watched is under none', () => {
    expect(levelsOf([[0, 0.99]])).toMatchObject({ levels: [2], after: 0 })
  })

  // Tests real processes that fill their heap, and the point at which the engine ends them.
  test.each([64, 128])(
    'a process that may keep %i MiB is under both levels before the engine ends it, and under none once that is free again',
    (limitMb) => {
      const { stdout } = spawnSync(
        process.execPath,
        [
          `--max-old-space-size=${limitMb}`,
          // Threads that collect beside the program come late on a busy machine, and the engine then gives up earlier.
          '--single-threaded-gc',
          '--input-type=module',
          '-e',
          fillHeap,
          pressureModule,
          String(limitMb),
        ],
        { encoding: 'utf8' },
      )
      expect(stdout.trim().split('\n')).toEqual(['level 0', 'level 1', 'level 2', 'level 0 again'])
    },
  )

  test('this process has memory to spare, even with a small share', () => {
    for (const processes of [1, 2]) {
      expect(processReadings(processes).memory()).toBeGreaterThan(0)
      expect(processReadings(processes).memory()).toBeLessThan(0.9)
    }
  })
})
