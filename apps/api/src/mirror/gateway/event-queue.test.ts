import { expect, test } from 'vitest'
import { createEventQueue, type Received } from './event-queue.ts'

const received = (serverId: string): Received => ({
  event: { kind: 'serverUnavailable', serverId },
  at: { session: 'one', sequence: 1 },
  receivedAt: 0,
})
const fill = (queue: ReturnType<typeof createEventQueue>, serverId: string, count: number) =>
  Array.from({ length: count }, () => queue.push(received(serverId))).filter(
    (forgotten) => forgotten !== undefined,
  )
const countsOf = (all: readonly Received[]) => {
  const counts: Record<string, number> = {}
  for (const { event } of all) counts[event.serverId] = (counts[event.serverId] ?? 0) + 1
  return counts
}

test('a server with much to tell leaves room for the others in each batch', () => {
  const queue = createEventQueue()
  fill(queue, 'busy', 1_000)
  fill(queue, 'calm', 3)
  expect(countsOf(queue.dequeue(100))).toEqual({ busy: 50, calm: 3 })
  expect(countsOf(queue.dequeue(100))).toEqual({ busy: 100 })
  expect(queue.size()).toBe(850)
})

test('too many waiting events cost the server that has most of them, and no other server', () => {
  const queue = createEventQueue()
  fill(queue, 'calm', 3)
  expect(fill(queue, 'busy', 49_998)).toEqual(['busy'])
  expect(queue.size()).toBe(3)
  expect([queue.countReceived('busy'), queue.countSettled('busy')]).toEqual([49_998, 49_998])
  expect([queue.countReceived('calm'), queue.countSettled('calm')]).toEqual([3, 0])
})

test('what is settled is counted by server', () => {
  const queue = createEventQueue()
  fill(queue, 'one', 2)
  fill(queue, 'other', 1)
  queue.markSettled(queue.dequeue(2))
  expect([queue.countSettled('one'), queue.countSettled('other')]).toEqual([1, 1])
})
