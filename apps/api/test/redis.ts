import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../tools/free-port.js'

export interface RedisServer {
  url: string
  port: number
  /** Suspends the server. Connections stay open, but get no responses. */
  pause(): void
  resume(): void
  /** Sends SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>
  /** Kills the server if it still runs, and starts an empty one on the same port. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Starts a separate Redis server without persistence, on a free port of 127.0.0.1. */
export async function startRedis(options: string[] = []): Promise<RedisServer> {
  const program = findProgram()
  const folder = mkdtempSync(join(tmpdir(), 'rolecall-redis-'))
  const port = await freePort()
  let server = await start()

  async function start(): Promise<ChildProcess> {
    const where = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder]
    const child = spawn(program, [...where, '--save', '', '--appendonly', 'no', ...options], {
      stdio: 'ignore',
    })
    // Kills the server even if the test run is interrupted.
    const end = () => child.kill('SIGKILL')
    process.once('exit', end)
    child.once('exit', () => process.off('exit', end))
    await untilAnswering(port, child)
    return child
  }

  async function kill(): Promise<void> {
    if (hasEnded(server)) return
    const ended = once(server, 'exit')
    server.kill('SIGKILL')
    await ended
  }

  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    pause: () => void server.kill('SIGSTOP'),
    resume: () => void server.kill('SIGCONT'),
    kill,
    async restart() {
      await kill()
      server = await start()
    },
    async stop() {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function findProgram(): string {
  const found = ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0)
  if (found) return found
  throw new Error(
    'These tests need redis-server or valkey-server on the PATH: ' +
      'apt-get install redis-server (Debian, Ubuntu) or brew install redis (macOS).',
  )
}

async function untilAnswering(port: number, child: ChildProcess): Promise<void> {
  const giveUpAt = performance.now() + 10_000
  while (!(await answers(port))) {
    if (hasEnded(child)) throw new Error(`redis-server ended at its start with code ${child.exitCode}`)
    if (performance.now() > giveUpAt) throw new Error('redis-server did not answer within 10 s')
    await sleep(10)
  }
}

/** Accepts any reply, because a server with a password refuses even PING. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
    socket.once('data', () => {
      resolve(true)
      socket.destroy()
    })
  })
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null
