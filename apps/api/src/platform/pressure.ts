import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8'
import type { Log } from './log.ts'

/**
 * The load of the process. 0: not at all. 1: new work is rejected. 2: requests that other services depend on are
 * rejected, too. Health checks are answered at every level.
 */
export type PressureLevel = 0 | 1 | 2

/** Tells how overloaded the process is. */
export interface Pressure {
  /** Returns the level of the last sample. Costs a request nothing. */
  level(): PressureLevel
  /** Takes samples until the returned function is called. */
  watch(): () => void
}

/** The values that a sample reads. Tests replace them. */
export interface Readings {
  /** Returns the time of a monotonic clock in milliseconds. */
  now(): number
  /** Returns the used part of the memory that the process may use, between 0 and 1. */
  memory(): number
}

/** The interval between two samples. At this rate, they cost nothing that can be measured. */
const sampleMs = 250
/** The delays of the event loop above which level 1 and level 2 begin. */
const behindMs: readonly [number, number] = [1_000, 3_000]
/**
 * The used parts of memory above which level 1 and level 2 begin. Close to its limit, a process spends its time on
 * garbage collection, and then crashes.
 */
const fullMemory: readonly [number, number] = [0.9, 0.95]
/**
 * A level ends only when memory use has fallen below its threshold by this part, because memory use varies that much
 * between two garbage collections.
 */
const memoryHysteresis = 0.03

/**
 * Creates a monitor for the event loop and the memory of the process. The event loop counts as overloaded only if two
 * samples in a row are late. A single long pause, such as a garbage collection or a suspended machine, is already over
 * when it is noticed, so rejecting requests would not help.
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
      Math.min(full, levelOf(memory + memoryHysteresis, fullMemory)),
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
      log.warn(
        figures,
        'under pressure: rejecting all requests except health, validate, forward auth, and OpenID Connect',
      )
    else log.warn(figures, 'under pressure: rejecting all requests except health')
  }

  return {
    level: () => level,
    sample,
    watch() {
      watchers += 1
      if (watchers === 1) {
        dueAt = readings.now() + sampleMs
        // Sets a new timer after each sample. An interval would catch up on delays, and so hide them.
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
 * Returns the functions that read the real values of the process. `processes` is the number of processes that share the
 * container's memory. `oldSpaceLimitMb` is `--max-old-space-size`, if it is set.
 */
export function processReadings(processes: number, oldSpaceLimitMb?: number): Readings {
  const allowed = process.constrainedMemory() / processes
  const heap = oldSpaceLimitMb ? () => oldSpaceBytes() / (oldSpaceLimitMb * 2 ** 20) : shareOfWholeHeap
  return {
    now: () => performance.now(),
    memory() {
      // Without a container limit, Node.js returns 0, or a number larger than the memory of any machine.
      const resident = allowed > 0 ? process.memoryUsage.rss() / allowed : 0
      return Math.max(heap(), resident)
    },
  }
}

/**
 * Returns the memory of old objects in bytes. The whole heap is a poor measure, because its limit includes 48 to 192
 * MiB that only new objects can use. With `--max-old-space-size=64`, the process ends at 57 % of that limit, and with
 * 256, at 84 %.
 */
const oldSpaceBytes = () =>
  getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !/^(new_|read_only_)/.test(name))
    .reduce((bytes, { space_used_size: used }) => bytes + used, 0)

function shareOfWholeHeap() {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
  return used / limit
}
