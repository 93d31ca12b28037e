import { cpuSeconds } from './processes.ts'
import type { Row, Table } from './table.ts'
import { type Load, load } from './wrk.ts'

/** The core of the servers. The load runs on the other core, so that it does not take time from the servers. */
export const serverCore = 0
export const loadCore = 1
export const allCores = '0,1'
export const rounds = Number(process.env['ROUNDS'] ?? 3)
export const seconds = Number(process.env['SECONDS'] ?? 3)

interface Measured {
  readonly name: string
  /** The place where the program stores its sessions, and other facts for the comparison. A column of the table. */
  readonly store: string
  /** The processor time of the processes with these IDs is counted. */
  readonly pids: readonly number[]
  /** Called after each run with the maximum number of requests that it can have sent. */
  readonly sent?: (requests: number) => void
  readonly answerBytes: number
}

/** A server that is measured, and the requests that it gets. */
export interface Target extends Measured {
  readonly url: string
  /** Returns the wrk script of the next run. */
  readonly script: () => string | Promise<string>
}

/** Returns the bare server as a target that gets the same requests. */
export const limitTarget = (
  bare: { readonly url: string; readonly pid: number },
  { script, answerBytes }: Pick<Target, 'script' | 'answerBytes'>,
): Target => ({
  name: 'bare node:http',
  store: 'parses the same body, returns a response of the same size',
  url: `${bare.url}/`,
  pids: [bare.pid],
  script,
  answerBytes,
})

/** A program that creates its load itself, such as pgbench. */
export interface Program extends Measured {
  readonly run: (connections: number, forSeconds: number) => Promise<Load>
}

/** The result of one round of a target. */
export interface Round extends Load {
  readonly cpuPerThousand: number
}

/**
 * Loads the targets in turn, for several rounds, so that other work on the machine affects all of them alike. First
 * warms each one up, for longer if it has had fewer requests so far.
 */
export async function interleaved<T extends Target | Program>(
  targets: readonly T[],
  connections: number,
  warmUpSeconds = 1,
) {
  const results = new Map<T, Round[]>(targets.map((target) => [target, []]))
  const run = async (target: T, forSeconds: number): Promise<Round> => {
    const before = cpuSeconds(target.pids)
    const result =
      'run' in target
        ? await target.run(connections, forSeconds)
        : await load(loadCore, target.url, await target.script(), connections, forSeconds)
    // Counts the requests that were pending at the end of the run, because they were sent, too.
    target.sent?.(result.requests + connections + 1)
    if (result.failures > 0) throw new Error(`${target.name}: ${result.failures} failed requests`)
    return { ...result, cpuPerThousand: ((cpuSeconds(target.pids) - before) / result.requests) * 1_000 }
  }
  for (const target of targets) await run(target, warmUpSeconds)
  for (let round = 1; round <= rounds; round++) {
    for (const target of targets) {
      const result = await run(target, seconds)
      results.get(target)?.push(result)
      const rate = result.requestsPerSecond.toFixed(0).padStart(7)
      console.log(`  round ${round} of ${rounds}, ${connections} connections: ${rate} req/s  ${target.name}`)
    }
  }
  return results
}

/** Returns the median of values. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

const columns = [
  { key: 'name', title: 'Server' },
  { key: 'store', title: 'Setup' },
  { key: 'rate', title: 'req/s', digits: 0 },
  { key: 'ratio', title: 'Ratio', digits: 2 },
  { key: 'p50', title: 'p50 ms', digits: 2 },
  { key: 'p99', title: 'p99 ms', digits: 2 },
  { key: 'p99Ratio', title: 'p99 ratio', digits: 2 },
  { key: 'cpu', title: 'CPU s per 1,000', digits: 3 },
  { key: 'bytes', title: 'Response bytes', digits: 0 },
]

/**
 * Returns a row per target with the medians of its rounds. Its ratio is the median of the ratios to the first target.
 */
export function summarise(
  place: Pick<Table, 'id' | 'title' | 'note'>,
  results: ReadonlyMap<Target | Program, readonly Round[]>,
): Table {
  const [limit = []] = results.values()
  return { ...place, columns, rows: [...results].map(([target, own]) => rowOf(target, own, limit)) }
}

/** Returns a table without percentiles, for one with pgbench, which measures none. */
export const withoutTimes = (table: Table): Table => ({
  ...table,
  columns: table.columns.filter(({ key }) => ['name', 'store', 'rate', 'ratio', 'cpu'].includes(key)),
})

/**
 * Like `summarise`, for targets that were each measured in turn with only the first one. All rounds of that one count.
 */
export function summarisePairs(
  place: Pick<Table, 'id' | 'title' | 'note'>,
  pairs: readonly ReadonlyMap<Target, readonly Round[]>[],
): Table {
  const measured = pairs.map((pair) => [...pair])
  const limits = measured.flatMap(([limit]) => limit?.[1] ?? [])
  const [first] = measured[0] ?? []
  const rows = measured.flatMap(([limit, other]) => (limit && other ? [rowOf(...other, limit[1])] : []))
  return { ...place, columns, rows: first ? [rowOf(first[0], limits, limits), ...rows] : rows }
}

function rowOf({ name, store, answerBytes }: Measured, own: readonly Round[], limit: readonly Round[]): Row {
  const of = (field: keyof Round) => median(own.map((round) => round[field]))
  const toLimit = (field: keyof Round) =>
    median(own.map((round, i) => round[field] / (limit[i]?.[field] ?? Number.NaN)))
  return {
    name,
    store,
    rate: of('requestsPerSecond'),
    ratio: toLimit('requestsPerSecond'),
    p50: of('p50Ms'),
    p99: of('p99Ms'),
    p99Ratio: toLimit('p99Ms'),
    cpu: of('cpuPerThousand'),
    bytes: answerBytes,
  }
}
