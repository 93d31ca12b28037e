import { execFileSync } from 'node:child_process'
import { appendFile, chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../../tools/free-port.js'
import { EmbeddedPostgres } from '../../../tools/postgres/embedded-postgres.js'
import { signalPostgres } from '../../../tools/signal-postgres.js'
import { migrate } from '../src/platform/db/migrate.ts'
import { openDatabase } from '../src/platform/db/open-database.ts'
import { makeDataFolder } from './data-folder.ts'

export interface PostgresServer {
  readonly port: number
  /** The data folder. */
  readonly data: string
  /** The URL of the maintenance database. */
  readonly url: string
  /** Stops the server, by SIGKILL or in order. `start` starts it again with the same data and port. */
  down(how?: 'orderly' | 'kill'): Promise<void>
  start(): Promise<void>
  /** Suspends all processes of the server. Connections stay open, but get no responses. */
  pause(): void
  resume(): void
  /** Stops the server, and deletes its data. */
  stop(): Promise<void>
}

/** Starts a durable PostgreSQL of its own, with the tables of the service. Ends with `stop`. */
export async function startMigratedPostgres(): Promise<PostgresServer> {
  const postgres = await startPostgres({ durable: true })
  const db = await openDatabase(postgres.url)
  await migrate(db)
  await db.close()
  return postgres
}

/**
 * Starts a separate PostgreSQL server on a free port, by default with the durability of production. With `standbyOf`,
 * starts a standby that streams from another server, which is stopped while its files are copied. Call `stop` at the
 * end.
 */
export async function startPostgres(
  options: { durable?: boolean; standbyOf?: PostgresServer } = {},
): Promise<PostgresServer> {
  const folder = await makeDataFolder('rolecall-postgres-')
  // The server's own user must be able to traverse the folder to its data.
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
    // Runs as another user, because PostgreSQL refuses to run as root.
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
  // Starts the program directly, because the package waits until the server accepts writes.
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
  const signal = (name: NodeJS.Signals) => signalPostgres(data, name)
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

/** Copies the files of a stopped server, because the embedded package has no pg_basebackup. */
async function copyForStandby(primary: PostgresServer, data: string) {
  await primary.down()
  execFileSync('cp', ['-a', primary.data, data])
  await writeFile(join(data, 'standby.signal'), '')
  const connection = `host=127.0.0.1 port=${primary.port} user=postgres password=postgres`
  await appendFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${connection}'\n`)
  await primary.start()
}
