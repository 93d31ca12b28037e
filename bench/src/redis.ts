import { type ChildProcess, spawnSync } from 'node:child_process'
import { createConnection } from 'node:net'
import { freePort, startPinned } from './processes.ts'

export interface Redis {
  readonly program: string
  readonly url: string
  readonly pid: number
  stop(): void
}

/** A Redis of its own on one core, with nothing kept on disk; undefined where no server is installed. */
export async function startRedis(core: number | string): Promise<Redis | undefined> {
  const program = ['redis-server', 'valkey-server'].find(
    (name) => spawnSync(name, ['--version']).status === 0,
  )
  if (!program) return undefined
  const port = await freePort()
  const where = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no']
  const server: ChildProcess = startPinned(core, [program, ...where], {})
  const deadline = performance.now() + 10_000
  while (!(await listens(port))) {
    if (performance.now() > deadline) throw new Error(`${program} did not listen within 10 s.`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    program,
    url: `redis://127.0.0.1:${port}`,
    pid: server.pid as number,
    stop: () => void server.kill(),
  }
}

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
