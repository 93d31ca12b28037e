import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { batcher, changeBatcher, heldElsewhere } from './batcher.ts'
import { DatabaseUnavailable } from './database.ts'

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

describe('changeBatcher', () => {
  /** A store that refuses negative items, and notes what each statement is for. */
  function notedChanges(changeMany: (items: number[]) => (string | typeof heldElsewhere)[]) {
    const statements: number[][] = []
    const change = changeBatcher<number, string>({
      changeMany: async (items) => {
        statements.push(items)
        await turn()
        return changeMany(items)
      },
      changeOne: async (item) => {
        statements.push([item])
        await turn()
        if (item < 0) throw new Error(`${item} is refused`)
        return `alone ${item}`
      },
    })
    return { statements, change }
  }

  test('changes that wait together share a statement', async () => {
    const { statements, change } = notedChanges((items) => items.map((item) => `together ${item}`))
    expect(await Promise.all([1, 2, 3].map(change))).toEqual(['together 1', 'together 2', 'together 3'])
    expect(statements).toEqual([[1, 2, 3]])
  })

  test('a change that its statement left out is made alone, and the next statement does not wait for it', async () => {
    let release = () => {}
    const change = changeBatcher<number, string>({
      changeMany: async (items) => items.map((item) => (item === 2 ? heldElsewhere : `together ${item}`)),
      changeOne: async (item) => {
        await new Promise<void>((resolve) => {
          release = resolve
        })
        return `alone ${item}`
      },
    })
    const held = change(2)
    expect(await Promise.all([1, 3].map(change))).toEqual(['together 1', 'together 3'])
    expect(await change(4)).toBe('together 4')
    release()
    expect(await held).toBe('alone 2')
  })

  test('after a statement that failed each is made alone, and fails by itself', async () => {
    const { statements, change } = notedChanges(() => {
      throw new Error('one of them is refused')
    })
    const settled = await Promise.allSettled([1, -2, 3].map(change))
    expect(settled).toMatchObject([
      { value: 'alone 1' },
      { reason: { message: '-2 is refused' } },
      { value: 'alone 3' },
    ])
    expect(statements).toEqual([[1, -2, 3], [1], [-2], [3]])
  })

  // Its outcome may be unknown: made again, a change that has happened would be refused as used.
  test('after an outage nothing is tried again', async () => {
    const { statements, change } = notedChanges(() => {
      throw new DatabaseUnavailable(new Error('the connection was lost'))
    })
    const settled = await Promise.allSettled([1, 2].map(change))
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(statements).toEqual([[1, 2]])
  })
})
