import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { childrenOf } from '../processes.ts'

/** The path of the `rolecall` program in this checkout. */
export const rolecall = fileURLToPath(new URL('../../../apps/api/bin/rolecall.js', import.meta.url))

/** One `rolecall serve`, which can be stopped, killed, hung, and started again at the same address. */
export interface SoakInstance {
  readonly name: string
  readonly url: string
  /** The file with its output. */
  readonly logFile: string
  /** Returns the IDs of its process and its workers. Empty while it does not run. */
  pids(): number[]
  /** Starts it. Resolves when it is ready. */
  start(): Promise<void>
  /** Sends SIGTERM. Resolves with the exit code. */
  stop(): Promise<number | null>
  /** Sends SIGKILL to all of its processes. */
  kill(): Promise<void>
  /** Sends SIGKILL to one of its workers, or to itself if it has none. */
  killWorker(): void
  hang(): void
  resume(): void
}

const startDeadlineMs = 120_000

/** Creates an instance. It does not start yet. */
export function createInstance(
  name: string,
  port: number,
  env: Readonly<Record<string, string>>,
  logFile: string,
  program: string = rolecall,
): SoakInstance {
  let child: ChildProcess | undefined
  const log = openSync(logFile, 'a')
  const url = `http://127.0.0.1:${port}`
  const pids = () =>
    child?.pid === undefined || hasEnded(child) ? [] : [child.pid, ...childrenOf(child.pid)]
  const signal = (which: NodeJS.Signals) => {
    for (const pid of pids()) tell(pid, which)
  }
  process.once('exit', () => signal('SIGKILL'))
  const end = async (which: NodeJS.Signals) => {
    const running = child
    if (!running || hasEnded(running)) return null
    const ended = once(running, 'exit')
    if (which === 'SIGKILL') signal(which)
    else running.kill(which)
    await ended
    return running.exitCode
  }
  return {
    name,
    url,
    logFile,
    pids,
    async start() {
      const { HOME, PATH } = process.env
      const own = { ...(HOME !== undefined && { HOME }), ...(PATH !== undefined && { PATH }) }
      const started = spawn(process.execPath, [program, 'serve'], {
        env: { ...own, ...env, PORT: String(port) },
        stdio: ['ignore', log, log],
      })
      child = started
      const deadline = performance.now() + startDeadlineMs
      while (!(await isReady(url))) {
        if (hasEnded(started)) throw new Error(`${name} ended at its start: see ${logFile}`)
        if (performance.now() > deadline) throw new Error(`${name} is not ready: see ${logFile}`)
        await sleep(100)
      }
    },
    stop: () => end('SIGTERM'),
    async kill() {
      await end('SIGKILL')
    },
    killWorker() {
      const [own, worker = own] = pids()
      if (worker !== undefined) tell(worker, 'SIGKILL')
    },
    hang: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

/** Sends a signal to a process. Ignores that the process may have just ended. */
function tell(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal)
  } catch {}
}

const isReady = (url: string) =>
  fetch(`${url}/api/health/ready`, { signal: AbortSignal.timeout(2_000) }).then(
    async (response) => {
      await response.body?.cancel()
      return response.ok
    },
    () => false,
  )
