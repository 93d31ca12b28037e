import { execFile, spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { loadCore, type Program } from './compare.ts'
import type { Load } from './wrk.ts'

/**
 * Returns the path of pgbench: on the PATH, or in Debian's folder, which is not on the PATH. Undefined if it is
 * missing.
 */
export function findPgbench(): string | undefined {
  const debian = '/usr/lib/postgresql'
  const versions = listed(debian).toSorted((a, b) => Number(b) - Number(a))
  const places = ['pgbench', ...versions.map((version) => join(debian, version, 'bin/pgbench'))]
  return places.find((place) => spawnSync(place, ['--version']).status === 0)
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

interface PgbenchRun {
  readonly program: string
  readonly core: number
  /** The connection URL of the database. */
  readonly url: string
  readonly folder: string
  /** One statement, in which `:n` is a different number each time. */
  readonly statement: string
  readonly clients: number
  readonly seconds: number
  /** The first of the numbers. Each client uses `perClient` of them. */
  readonly first: number
  readonly perClient: number
}

/** Sends one prepared statement repeatedly over open connections, each time with a different number. */
async function runPgbench(run: PgbenchRun): Promise<Load> {
  const script = join(run.folder, 'pgbench.sql')
  const counted = `\\set i :i + 1\n\\set n ${run.first} + :client_id * ${run.perClient} + :i\n`
  await writeFile(script, `${counted}${run.statement.replaceAll(/\s+/g, ' ').trim()};\n`)
  const { stdout } = await promisify(execFile)('taskset', [
    ...['-c', String(run.core), run.program, '-n', '-M', 'prepared', '-j', '1', '-D', 'i=0', '-f', script],
    ...['-c', String(run.clients), '-T', String(run.seconds), run.url],
  ])
  const number = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? 0)
  const meanMs = number(/latency average = ([\d.]+)/)
  return {
    requestsPerSecond: number(/tps = ([\d.]+)/),
    requests: number(/actually processed: (\d+)/),
    // pgbench reports no percentiles, so the mean stands in for both.
    p50Ms: meanMs,
    p99Ms: meanMs,
    failures: number(/failed transactions: (\d+)/),
  }
}

/**
 * The maximum number of clients of pgbench. It is not faster with more, and each of them must first plan the statement.
 */
const maxClients = 10

interface PlainStatement extends Pick<PgbenchRun, 'program' | 'url' | 'folder' | 'statement'> {
  readonly pids: readonly number[]
  /** The number of rows per second that a run may use. */
  readonly perSecond: number
  /** Called before each run with the number of rows that all runs will have used. Throws if there are not enough. */
  readonly used?: (count: number) => void
}

/** Returns pgbench as a target: it sends one plain statement for each request. */
export function plainStatement({ pids, perSecond, used, ...run }: PlainStatement): Program {
  let first = 0
  return {
    name: 'pgbench',
    store: 'one plain statement for each request',
    pids,
    answerBytes: 0,
    run: (connections, seconds) => {
      const clients = Math.min(connections, maxClients)
      const perClient = Math.ceil((perSecond * seconds) / clients)
      const from = first
      first += perClient * clients
      used?.(first)
      return runPgbench({ ...run, core: loadCore, clients, seconds, first: from, perClient })
    },
  }
}
