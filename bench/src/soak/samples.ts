import { openFiles, residentMiB } from '../processes.ts'

interface Sample {
  readonly atMs: number
  readonly memoryMiB: number
  readonly files: number
}

/** Samples the memory and the open files of processes at an interval. */
export function sampleProcess(pids: () => readonly number[], everyMs: number) {
  const samples: Sample[] = []
  const from = performance.now()
  const timer = setInterval(() => {
    try {
      const all = pids()
      samples.push({
        atMs: performance.now() - from,
        memoryMiB: all.reduce((sum, pid) => sum + residentMiB(pid), 0),
        files: all.reduce((sum, pid) => sum + openFiles(pid), 0),
      })
    } catch {
      // The process ended while it was sampled.
    }
  }, everyMs)
  return {
    stop: () => clearInterval(timer),
    /** Returns the growth per hour, by a least-squares fit over the samples after the warm-up. */
    growth(warmUpMs: number) {
      const warm = samples.filter(({ atMs }) => atMs >= warmUpMs)
      const first = warm.slice(0, Math.ceil(warm.length / 10))
      const last = warm.slice(-Math.ceil(warm.length / 10))
      const rows = (['memoryMiB', 'files'] as const).map((key) => ({
        what: key,
        slopePerHour: slopeOf(warm.map((one) => [one.atMs / 3_600_000, one[key]])),
        first: meanOf(first.map((one) => one[key])),
        last: meanOf(last.map((one) => one[key])),
        most: Math.max(0, ...warm.map((one) => one[key])),
      }))
      return { samples: warm.length, rows }
    },
  }
}

const meanOf = (values: readonly number[]) =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length

function slopeOf(points: readonly (readonly [number, number])[]): number {
  const [x, y] = [meanOf(points.map(([at]) => at)), meanOf(points.map(([, value]) => value))]
  const spread = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0)
  const together = points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0)
  return spread === 0 ? 0 : together / spread
}
