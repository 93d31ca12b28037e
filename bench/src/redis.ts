import { type ChildProcess, spawnSync } from 'node:child_process'
import { createConnection } from 'node:net'
import { freePort } from '../../tools/free-port.js'
import { startPinned } from './processes.ts'

/** A running Redis server. */
export interface Redis {
  readonly program: string
  readonly url: string
  readonly pid: number
  /** Sends SIGKILL to the server. `start` starts an empty one on the same port. */
  kill(): void
  start(): Promise<void>
  /** Stops the server without ending it. Connections stay open, but get no responses. */
  pause(): void
  resume(): void
  stop(): void
}

/** Starts a Redis server of its own without persistence. Resolves to undefined if no server is installed. */
export async function startRedis(core: number | string): Promise<Redis | undefined> {
  const program = ['redis-server', 'valkey-server'].find(
    (name) => spawnSync(name, ['--version']).status === 0,
  )
  if (!program) return undefined
  const port = await freePort()
  const where = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no']
  const start = async (): Promise<ChildProcess> => {
    const child = startPinned(core, [program, ...where], {})
    const deadline = performance.now() + 10_000
    while (!(await listens(port))) {
      if (performance.now() > deadline) throw new Error(`${program} did not listen within 10 s.`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return child
  }
  let server = await start()
  return {
    program,
    url: `redis://127.0.0.1:${port}`,
    pid: server.pid as number,
    kill: () => void server.kill('SIGKILL'),
    async start() {
      server = await start()
    },
    pause: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
    stop: () => void server.kill('SIGKILL'),
  }
}

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
