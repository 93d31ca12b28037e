import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../tools/free-port.js'
import { EmbeddedPostgres } from '../../tools/postgres/embedded-postgres.js'
import { signalPostgres } from '../../tools/signal-postgres.js'
import { pin } from './processes.ts'

/** Creates a folder that the system user of PostgreSQL may also enter. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rolecall-bench-'))
  await chmod(folder, 0o711)
  return folder
}

export const removeFolder = (folder: string) => rm(folder, { recursive: true, force: true })

/** A running PostgreSQL server. */
export interface Postgres {
  readonly url: string
  readonly pid: number
  /** Returns the connection URL of a database. Creates the database if it does not exist. */
  database(name: string): Promise<string>
  /** Sends SIGKILL to all processes of the server. `start` starts it again with the same data and port. */
  kill(): Promise<void>
  start(): Promise<void>
  /** Stops all processes of the server without ending them. Connections stay open, but get no responses. */
  pause(): void
  resume(): void
  stop(): Promise<void>
}

/** Starts a PostgreSQL server of its own. If a core is given, it runs only there. */
export async function startPostgres(
  folder: string,
  core?: number,
  flags: readonly string[] = [],
): Promise<Postgres> {
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    // Keeps the data when the server stops, because a restarted server needs it. The folder is removed at the end.
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: ['-c', 'shared_buffers=256MB', ...flags],
    onLog: () => {},
  })
  await server.initialise()
  await server.start()
  const { pid } = (server as unknown as { process: { pid: number } }).process
  if (core !== undefined) pin(core, pid)
  const address = `postgres://postgres:postgres@127.0.0.1:${port}`
  const made = new Set<string>()
  const database = async (name: string) => {
    if (!made.has(name)) await server.createDatabase(name)
    made.add(name)
    return `${address}/${name}`
  }
  const signal = (name: NodeJS.Signals) => signalPostgres(join(folder, 'data'), name)
  return {
    url: `${address}/postgres`,
    pid,
    database,
    async kill() {
      signal('SIGKILL')
      await server.stop()
    },
    start: () => server.start(),
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    stop: () => server.stop(),
  }
}
