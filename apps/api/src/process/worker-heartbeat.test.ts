import { expect, test } from 'vitest'
import { createWorkerWatch, lookEveryMs } from './worker-heartbeat.ts'

/** A watch of one worker, and a clock that is moved by hand. */
function givenWatch() {
  let now = 0
  const watch = createWorkerWatch<string>(() => now)
  const look = (afterMs = lookEveryMs) => {
    now += afterMs
    return watch.look()
  }
  watch.started('worker')
  return { watch, look, looks: (count: number) => Array.from({ length: count }, () => look()).flat() }
}

test('a worker is hung after ten seconds without a heartbeat, and is told once', () => {
  const { watch, looks } = givenWatch()
  watch.heard('worker')
  expect(looks(19)).toEqual([])
  watch.heard('worker')
  expect(looks(19)).toEqual([])
  expect(looks(1)).toEqual(['worker'])
  expect(looks(100)).toEqual([])
})

test('a worker that is being started has a minute for its first heartbeat', () => {
  const { looks } = givenWatch()
  expect(looks(119)).toEqual([])
  expect(looks(1)).toEqual(['worker'])
})

test('a primary that was suspended, however long and often, takes nobody for hung by that', () => {
  const { watch, look, looks } = givenWatch()
  watch.heard('worker')
  expect(looks(19)).toEqual([])
  for (let times = 0; times < 50; times++) expect(look(3_600_000)).toEqual([])
  watch.heard('worker')
  expect(looks(19)).toEqual([])
})

test('a primary that gets no processor in time finds nobody hung', () => {
  const { watch, look } = givenWatch()
  watch.heard('worker')
  for (let times = 0; times < 100; times++) expect(look(2 * lookEveryMs + 1)).toEqual([])
})

test('a worker that has ended is not watched any more', () => {
  const { watch, looks } = givenWatch()
  watch.heard('worker')
  watch.ended('worker')
  watch.heard('worker')
  expect(looks(200)).toEqual([])
})
