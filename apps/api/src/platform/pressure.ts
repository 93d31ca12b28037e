import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8'
import type { Log } from './log.ts'

/**
 * The load of the process. 0: normal. 1: new work is rejected. 2: requests that other services depend on are rejected,
 * too. Health checks are always answered.
 */
export type PressureLevel = 0 | 1 | 2

export interface Pressure {
  /** Returns the level of the last sample, so that a request measures nothing. */
  level(): PressureLevel
  /** Samples until the returned function is called. */
  watch(): () => void
}

/** The readings of a sample. */
export interface Readings {
  /** Returns the milliseconds since an arbitrary moment. */
  now(): number
  /** Returns the used part of the memory that the process may use. */
  memory(): number
}

/** The interval at which the event loop is sampled. At this rate, samples have no measurable cost. */
const sampleMs = 250
/** The delays of the event loop at which each level begins. */
const behindMs: readonly [number, number] = [1_000, 3_000]
/**
 * The used shares of memory at which each level begins. Near its memory limit, a process spends its time on garbage
 * collection, and then crashes.
 */
const fullMemory: readonly [number, number] = [0.9, 0.95]
/** The hysteresis of a memory level, because usage varies by this much between two garbage collections. */
const memoryHysteresis = 0.03

/**
 * Watches the event loop and the memory of the process. The event loop is overloaded if two consecutive samples are
 * late. A single long pause, such as a garbage collection or a suspended machine, is over when it is detected, so
 * rejecting requests would not help.
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
        // Sets a new timer each time, because an interval would catch up and hide the delay.
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
      // Without a limit, Node.js returns 0 or a number larger than the memory of any machine.
      const resident = allowed > 0 ? process.memoryUsage.rss() / allowed : 0
      return Math.max(heap(), resident)
    },
  }
}

/**
 * Returns the bytes of old objects. The engine's limit of the whole heap includes 48 to 192 MiB that only new objects
 * can use: a process with `--max-old-space-size=64` ends at 57 % of the limit, and a process with 256 at 84 %.
 */
const oldSpaceBytes = () =>
  getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !/^(new_|read_only_)/.test(name))
    .reduce((bytes, { space_used_size: used }) => bytes + used, 0)

function shareOfWholeHeap() {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
  return used / limit
}
