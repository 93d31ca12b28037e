import { cpuSeconds } from './processes.ts'
import { type Load, load } from './wrk.ts'

/** Servers on one core, the load on the other, so that neither steals from what is measured. */
export const serverCore = 0
const loadCore = 1
export const allCores = '0,1'
const rounds = Number(process.env['ROUNDS'] ?? 3)
const seconds = Number(process.env['SECONDS'] ?? 8)

export interface Target {
  readonly name: string
  readonly url: string
  /** Whose processor time counts. */
  readonly pids: readonly number[]
}

export interface Round extends Load {
  readonly cpuPerThousand: number
}

/**
 * Loads the targets in turn, several rounds of each, so that what else the machine does hits all of them.
 * `script` makes the load of each run.
 */
export async function interleaved(
  targets: readonly Target[],
  script: () => string | Promise<string>,
  connections: number,
) {
  const results = new Map<string, Round[]>(targets.map(({ name }) => [name, []]))
  for (const { url } of targets) await load(loadCore, url, await script(), connections, 2)
  for (let round = 0; round < rounds; round++) {
    for (const { name, url, pids } of targets) {
      const before = cpuSeconds(pids)
      const result = await load(loadCore, url, await script(), connections, seconds)
      const cpuPerThousand = ((cpuSeconds(pids) - before) / result.requests) * 1_000
      results.get(name)?.push({ ...result, cpuPerThousand })
      if (result.failures > 0) throw new Error(`${name}: ${result.failures} failed requests`)
    }
  }
  return results
}

/** Prints medians, and ratios to the first target. */
export function report(connections: number, results: Map<string, Round[]>) {
  const median = (rounds: Round[], field: keyof Round) => {
    const sorted = rounds.map((round) => round[field]).sort((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)] ?? 0
  }
  const [limit = []] = results.values()
  console.log(
    `\n  ${connections} connections          req/s   ratio   p50 ms   p99 ms  p99 ratio  CPU s/1,000`,
  )
  for (const [name, rounds] of results) {
    const rate = median(rounds, 'requestsPerSecond')
    const cells = [
      rate.toFixed(0).padStart(9),
      (rate / median(limit, 'requestsPerSecond')).toFixed(2).padStart(7),
      median(rounds, 'p50Ms').toFixed(2).padStart(8),
      median(rounds, 'p99Ms').toFixed(2).padStart(8),
      (median(rounds, 'p99Ms') / median(limit, 'p99Ms')).toFixed(2).padStart(10),
      median(rounds, 'cpuPerThousand').toFixed(4).padStart(12),
    ]
    console.log(`  ${name.padEnd(20)}${cells.join(' ')}`)
  }
}
