import { expect, test } from 'vitest'
import { checkEveryMs, createWorkerWatch } from './worker-heartbeat.ts'

/** A watch of one worker, and a clock that is moved by hand. */
function givenWatch() {
  let now = 0
  const watch = createWorkerWatch<string>(() => now)
  const check = (afterMs = checkEveryMs) => {
    now += afterMs
    return watch.findHung()
  }
  watch.started('worker')
  return { watch, check, looks: (count: number) => Array.from({ length: count }, () => check()).flat() }
}

test('a worker is hung after ten seconds without a heartbeat, and is told once', () => {
  const { watch, looks } = givenWatch()
  watch.recordHeartbeat('worker')
  expect(looks(19)).toEqual([])
  watch.recordHeartbeat('worker')
  expect(looks(19)).toEqual([])
  expect(looks(1)).toEqual(['worker'])
  expect(looks(100)).toEqual([])
})

test('a worker that is being started has a minute for its first heartbeat', () => {
  const { looks } = givenWatch()
  expect(looks(119)).toEqual([])
  expect(looks(1)).toEqual(['worker'])
})

test('a primary that was suspended, however long and often, takes no worker for hung', () => {
  const { watch, check, looks } = givenWatch()
  watch.recordHeartbeat('worker')
  expect(looks(19)).toEqual([])
  for (let times = 0; times < 50; times++) expect(check(3_600_000)).toEqual([])
  watch.recordHeartbeat('worker')
  expect(looks(19)).toEqual([])
})

test('a primary that gets no processor in time finds no worker hung', () => {
  const { watch, check } = givenWatch()
  watch.recordHeartbeat('worker')
  for (let times = 0; times < 100; times++) expect(check(2 * checkEveryMs + 1)).toEqual([])
})

test('a worker that has ended is not watched any more', () => {
  const { watch, looks } = givenWatch()
  watch.recordHeartbeat('worker')
  watch.ended('worker')
  watch.recordHeartbeat('worker')
  expect(looks(200)).toEqual([])
})
