import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../examples/demo-site/bin/demo.js', import.meta.url))

export interface Demo {
  readonly siteUrl: string
  readonly serviceUrl: string
  readonly chatUrl: string
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>
  /** Ids of the processes that it has started. */
  children(): number[]
  /** All that it has printed. */
  output(): string
  /** Sends a signal, waits for the end, and answers the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** A folder of its own to start demos in, one after the other. */
export async function demoFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'rolecall-demo-'))
  const ports = { PORT: await freePort(), DEMO_PORT: await freePort(), CHAT_SIM_PORT: await freePort() }
  return {
    path: folder,
    ports,
    start: () => startDemo(folder, ports),
    /** The same without waiting. */
    launch: (): Demo => launchDemo(folder, ports),
    /** What the demo keeps between starts. */
    kept: async () => JSON.parse(await readFile(join(folder, '.rolecall', 'demo.json'), 'utf8')),
    keep: (kept: object) => writeFile(join(folder, '.rolecall', 'demo.json'), JSON.stringify(kept)),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

export type Ports = Readonly<Record<'PORT' | 'DEMO_PORT' | 'CHAT_SIM_PORT', number>>

/** Starts what `npm start` starts, and resolves when it has printed its summary or has ended. */
export async function startDemo(folder: string, ports: Ports): Promise<Demo> {
  const demo = launchDemo(folder, ports)
  await demo.settled
  return demo
}

function launchDemo(folder: string, ports: Ports): Demo & { settled: Promise<unknown> } {
  const env = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)]))
  const child = spawn(process.execPath, [program], { cwd: folder, env: { ...process.env, ...env } })
  let output = ''
  const ended = once(child, 'close').then(() => child.exitCode)
  const isReady = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => {
        output += text
        if (/"token":"rcs_/.test(output)) resolve()
      })
    }
  })
  return {
    settled: Promise.race([isReady, ended]),
    siteUrl: `http://127.0.0.1:${ports.DEMO_PORT}`,
    serviceUrl: `http://127.0.0.1:${ports.PORT}`,
    chatUrl: `http://127.0.0.1:${ports.CHAT_SIM_PORT}`,
    ended,
    children: () =>
      execFileSync('pgrep', ['-P', String(child.pid)], { encoding: 'utf8' })
        .trim()
        .split('\n')
        .map(Number),
    output: () => output,
    stop: async (signal = 'SIGINT') => {
      child.kill(signal)
      return ended
    },
  }
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
