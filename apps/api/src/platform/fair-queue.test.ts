import { expect, test } from 'vitest'
import { createFairQueue, QueueFull } from './fair-queue.ts'

const shares = {
  maxAtOnce: 4,
  maxAtOncePerCaller: 2,
  maxWaiting: 1_000,
  maxWaitingPerCaller: 500,
  maxWaitMs: 30_000,
  lastEveryMs: 20,
}
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('a caller with a hundred requests delays another caller by one turn', async () => {
  const queue = createFairQueue({ ...shares, maxAtOnce: 1, turn: nextTurn })
  const done: string[] = []
  const ask = (caller: string) => queue.run(caller, nextTurn).then(() => done.push(caller))
  const flood = Array.from({ length: 100 }, () => ask('flood'))
  const others = ['a', 'b', 'c'].map(ask)
  await Promise.all(others)
  expect(done.length).toBeLessThan(10)
  await Promise.all(flood)
  expect(done).toHaveLength(103)
})

test.each([
  [1, 2],
  [2, 4],
  [9, 4],
])('of %i callers no more are at work than the shares allow', async (callers, expected) => {
  const queue = createFairQueue(shares)
  const atWork = new Map<string, number>()
  let [all, maxOfOne, maxOfAll] = [0, 0, 0]
  const work = (caller: string) => async () => {
    atWork.set(caller, (atWork.get(caller) ?? 0) + 1)
    maxOfAll = Math.max(maxOfAll, ++all)
    maxOfOne = Math.max(maxOfOne, atWork.get(caller) ?? 0)
    for (let i = 0; i < 3; i++) await nextTurn()
    atWork.set(caller, (atWork.get(caller) ?? 0) - 1)
    all--
  }
  const asking = Array.from({ length: 200 }, (_, i) => `caller ${i % callers}`)
  await Promise.all(asking.map((caller) => queue.run(caller, work(caller))))
  expect(maxOfAll).toBe(expected)
  expect(maxOfOne).toBeLessThanOrEqual(2)
})

test('a caller that only fails goes last: one at a time, spaced, and when no other caller waits', async () => {
  const queue = createFairQueue({ ...shares, maxAtOnce: 1 })
  const order: string[] = []
  const fail = () =>
    queue
      .run(
        'bad',
        async () => {
          order.push('bad')
          throw new Error('theirs')
        },
        () => true,
      )
      .catch(() => {})
  for (let i = 0; i < 3; i++) await fail()
  const good = async () => {
    order.push('good')
    await nextTurn()
  }
  const startedAt = performance.now()
  await Promise.all([
    ...Array.from({ length: 5 }, fail),
    ...Array.from({ length: 20 }, () => queue.run('good', good)),
  ])
  expect(order.slice(3, 23)).toEqual(Array(20).fill('good'))
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(5 * shares.lastEveryMs - 20)

  // A success makes up for it.
  await queue.run('bad', async () => {})
  const again = performance.now()
  await Promise.all(Array.from({ length: 50 }, () => queue.run('bad', async () => {})))
  expect(performance.now() - again).toBeLessThan(50 * shares.lastEveryMs)
})

test('too many that wait are refused at once, and who waits too long is refused then; neither is begun', async () => {
  const queue = createFairQueue({
    ...shares,
    maxAtOnce: 1,
    maxWaitingPerCaller: 3,
    maxWaiting: 5,
    maxWaitMs: 50,
  })
  let free = () => {}
  const blocking = queue.run('first', () => new Promise<void>((resolve) => (free = resolve)))
  await nextTurn()
  let begun = 0
  const ask = (caller: string) =>
    queue
      .run(caller, async () => {
        begun += 1
      })
      .catch((error: unknown) => {
        expect(error).toBeInstanceOf(QueueFull)
        return 'refused'
      })
  const waiting = ['a', 'a', 'a', 'b', 'b'].map(ask)
  expect(await Promise.all([ask('a'), ask('c')])).toEqual(['refused', 'refused'])
  expect(await Promise.all(waiting)).toEqual(Array(5).fill('refused'))
  free()
  await blocking
  expect(begun).toBe(0)
  await ask('a')
  expect(begun).toBe(1)
})
