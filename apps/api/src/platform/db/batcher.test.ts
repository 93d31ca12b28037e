import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { batcher } from './batcher.ts'

/** Runs that a test ends one by one. */
function heldRuns() {
  const runs: { items: number[]; end: () => void; fail: (error: Error) => void }[] = []
  const run = (items: number[]) =>
    new Promise<string[]>((resolve, reject) => {
      runs.push({ items, end: () => resolve(items.map((item) => `answer ${item}`)), fail: reject })
    })
  return { runs, run }
}

describe('batcher', () => {
  test('every item gets its own answer, whenever it was asked and however runs end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 60 }),
        async (atOnce, pauses) => {
          let underWay = 0
          const ask = batcher(async (items: number[]) => {
            underWay += 1
            expect(underWay).toBeLessThanOrEqual(atOnce)
            for (let i = 0; i < (items[0] as number) % 3; i++) await turn()
            underWay -= 1
            return items.map((item) => `answer ${item}`)
          }, atOnce)
          const answers: Promise<string>[] = []
          for (const [item, pause] of pauses.entries()) {
            answers.push(ask(item))
            for (let i = 0; i < pause; i++) await turn()
          }
          expect(await Promise.all(answers)).toEqual(pauses.map((_, item) => `answer ${item}`))
        },
      ),
      { numRuns: 100 },
    )
  })

  // A batched read is as strict as a separate one, because its statement is sent after the call.
  test('an item never joins a run that began before it was asked for', async () => {
    const { runs, run } = heldRuns()
    const ask = batcher(run, 1)
    const first = ask(1)
    await turn()
    expect(runs.map(({ items }) => items)).toEqual([[1]])
    const others = [ask(2), ask(3)]
    await turn()
    expect(runs).toHaveLength(1)
    runs[0]?.end()
    await first
    await turn()
    expect(runs.map(({ items }) => items)).toEqual([[1], [2, 3]])
    runs[1]?.end()
    expect(await Promise.all(others)).toEqual(['answer 2', 'answer 3'])
  })

  test('a run that fails fails its own items only, and the next run goes on', async () => {
    const { runs, run } = heldRuns()
    const ask = batcher(run, 1)
    const first = ask(1)
    await turn()
    const later = [ask(2), ask(3)]
    runs[0]?.fail(new Error('the database is down'))
    await expect(first).rejects.toThrow('the database is down')
    await turn()
    runs[1]?.end()
    expect(await Promise.all(later)).toEqual(['answer 2', 'answer 3'])
  })

  test('no run is longer than 500 items, and none is lost', async () => {
    const sizes: number[] = []
    const ask = batcher(async (items: number[]) => {
      sizes.push(items.length)
      await turn()
      return items
    }, 2)
    const all = Array.from({ length: 2_345 }, (_, item) => item)
    expect(await Promise.all(all.map(ask))).toEqual(all)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500)
  })

  test('a run starts at the end of the turn, with everyone who asked in it', async () => {
    const { runs, run } = heldRuns()
    const ask = batcher(run, 1)
    for (const item of [1, 2, 3]) void ask(item)
    expect(runs).toHaveLength(0)
    await turn()
    expect(runs.map(({ items }) => items)).toEqual([[1, 2, 3]])
  })
})
