import { describe, expect, test } from 'vitest'
import { compileSchema } from '../json-schema/compile-schema.ts'
import { KeptSchemas } from './kept-schemas.ts'
import { createWorkerPool } from './worker-pool.ts'

const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))

/** Responds with the number of the job in the order of starts: all threads share the counter. */
const counting = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', ({ begun, forMs }) => {
      const nth = Atomics.add(begun, 0, 1)
      if (forMs) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, forMs)
      parentPort.postMessage(nth)
    })
    parentPort.postMessage('ready')
  `)}`,
)

const poolOf = (threads: number) =>
  createWorkerPool<{ begun: Int32Array; forMs?: number }, number>({
    module: counting,
    threads,
    maxWaiting: 64,
    maxWaitingOfOwner: 10,
    jobMs: 60_000,
    memoryMb: 16,
  })

describe('threads are shared in turns', () => {
  test('with ten jobs of one owner waiting, the job of another is the next but one', async () => {
    for (const threads of [1, 2]) {
      const pool = poolOf(threads)
      const begun = new Int32Array(new SharedArrayBuffer(4))
      // Long enough for a late thread on a busy machine to start before the other one has done all jobs.
      const job = { begun, forMs: 50 }
      const all = times(10, () => pool.run('a', job))
      expect(await pool.run('b', job)).toBeLessThanOrEqual(threads === 1 ? 1 : 5)
      await Promise.all(all)
    }
  })

  test('an owner with ten waiting jobs gets only one turn for each turn of another owner', async () => {
    const pool = poolOf(1)
    const begun = new Int32Array(new SharedArrayBuffer(4))
    let isOver = false
    const greedy = times(10, async () => {
      while (!isOver) await pool.run('a', { begun })
    })
    for (let i = 0; i < 50; i++) {
      const before = Atomics.load(begun, 0)
      // One job is running, and the message of another one may already be in the queue of the thread.
      expect((await pool.run('b', { begun })) - before).toBeLessThanOrEqual(2)
    }
    isOver = true
    await Promise.all(greedy)
  })
})

describe('compiled schemas that are kept', () => {
  const compiled = () => compileSchema({ type: 'string' })

  test('one owner with eight in rotation drops its own, and none of another', () => {
    const kept = new KeptSchemas()
    const other = compiled()
    kept.keep('b', 'same text', other)
    for (const i of times(80, (n) => n % 8)) kept.get('a', `${i}`) ?? kept.keep('a', `${i}`, compiled())
    expect(kept.get('b', 'same text')).toBe(other)
    expect(kept.get('a', 'same text')).toBeUndefined()
    expect(times(8, (i) => kept.get('a', `${i}`) !== undefined)).toEqual(times(8, (i) => i > 4))
  })

  test('of many owners with one each, the one that was not used for longest is dropped', () => {
    const kept = new KeptSchemas()
    for (const owner of ['a', 'b', 'c', 'd']) kept.keep(owner, '', compiled())
    expect(kept.get('a', '')).toBeDefined()
    kept.keep('e', '', compiled())
    const left = ['a', 'b', 'c', 'd', 'e'].filter((owner) => kept.get(owner, ''))
    expect(left).toEqual(['a', 'c', 'd', 'e'])
  })
})
