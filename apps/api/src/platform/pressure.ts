import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8'
import type { Log } from './log.ts'

/**
 * The pressure on the process. 0: none. 1: new work is refused. 2: so are requests that others depend on. Health is
 * always answered.
 */
export type PressureLevel = 0 | 1 | 2

export interface Pressure {
  /** Returns a stored number: requests pay nothing for it. */
  level(): PressureLevel
  /** Samples until the returned function is called. */
  watch(): () => void
}

/** The readings of a sample. */
export interface Readings {
  /** Returns milliseconds from any moment on. */
  now(): number
  /** Returns the used part of the memory that the process may use. */
  memory(): number
}

/** The interval at which the event loop is sampled: long enough to cost nothing. */
const sampleMs = 250
/** The delays of the loop from which on it is overloaded, by level. */
const behindMs: readonly [number, number] = [1_000, 3_000]
/**
 * The used parts of memory by level. Near its limit a process spends its time on garbage collection, and then ends.
 */
const fullMemory: readonly [number, number] = [0.9, 0.95]
/** The hysteresis of a memory level: usage varies by as much between two collections. */
const clearlyLess = 0.03

/**
 * Watches the event loop and the memory of the process. A loop counts as behind when two samples in a row are late:
 * one long pause (a collection, a suspended machine) is over when it is noticed, and refusals would not help.
 */
export function createPressure(log: Pick<Log, 'info' | 'warn'>, readings: Readings = processReadings(1)) {
  let level: PressureLevel = 0
  let lateBefore: PressureLevel = 0
  let full: PressureLevel = 0
  let dueAt = 0
  let timer: NodeJS.Timeout | undefined
  let watchers = 0

  const sample = () => {
    const behind = readings.now() - dueAt
    const late = levelOf(behind, behindMs)
    const memory = readings.memory()
    full = Math.max(
      levelOf(memory, fullMemory),
      Math.min(full, levelOf(memory + clearlyLess, fullMemory)),
    ) as PressureLevel
    const next = Math.max(Math.min(late, lateBefore), full) as PressureLevel
    lateBefore = late
    if (next !== level) logChange(next, behind, memory)
    level = next
    dueAt = readings.now() + sampleMs
  }
  const logChange = (next: PressureLevel, behind: number, memory: number) => {
    const figures = { level: next, behindMs: Math.round(behind), memory: Number(memory.toFixed(2)) }
    if (next === 0) log.info(figures, 'pressure ended: accepting all requests')
    else if (next === 1)
      log.warn(figures, 'under pressure: rejecting all requests except health and validate')
    else log.warn(figures, 'under pressure: rejecting all requests except health')
  }

  return {
    level: () => level,
    sample,
    watch() {
      watchers += 1
      if (watchers === 1) {
        dueAt = readings.now() + sampleMs
        // The timer is set anew each time: an interval would make up for lost turns and hide its delay.
        const again = () => {
          sample()
          timer = setTimeout(again, sampleMs).unref()
        }
        timer = setTimeout(again, sampleMs).unref()
      }
      return () => {
        watchers -= 1
        if (watchers > 0) return
        clearTimeout(timer)
        level = 0
        lateBefore = 0
        full = 0
      }
    },
  }
}

const levelOf = (value: number, [first, second]: readonly [number, number]): PressureLevel =>
  value > second ? 2 : value > first ? 1 : 0

/**
 * Returns the real readings of the process. `processes` share the memory that the container allows. `oldSpaceLimitMb`
 * is the limit at which the engine ends the process, if it is set.
 */
export function processReadings(processes: number, oldSpaceLimitMb?: number): Readings {
  const allowed = process.constrainedMemory() / processes
  const heap = oldSpaceLimitMb ? () => oldSpaceBytes() / (oldSpaceLimitMb * 2 ** 20) : shareOfWholeHeap
  return {
    now: () => performance.now(),
    memory() {
      // Without a limit Node.js returns 0 or more than any machine has.
      const resident = allowed > 0 ? process.memoryUsage.rss() / allowed : 0
      return Math.max(heap(), resident)
    },
  }
}

/**
 * Returns the bytes of old objects. The engine's limit of the whole heap includes 48 to 192 MiB for new objects, which
 * old ones never get: a process with `--max-old-space-size=64` ends at 57 % of it, and one with 256 at 84 %.
 */
const oldSpaceBytes = () =>
  getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !/^(new_|read_only_)/.test(name))
    .reduce((bytes, { space_used_size: used }) => bytes + used, 0)

function shareOfWholeHeap() {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
  return used / limit
}
