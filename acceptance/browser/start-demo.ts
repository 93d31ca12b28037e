import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import { brief } from '../../tools/brief.ts'
import { copyFolder } from '../../tools/copy-folder.ts'
import { freePort } from '../../tools/free-port.js'

const program = fileURLToPath(new URL('../../examples/demo-site/bin/demo.js', import.meta.url))

export interface Demo {
  readonly siteUrl: string
  readonly serviceUrl: string
  readonly chatUrl: string
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>
  /** Returns the IDs of the processes that the demo has started. */
  children(): number[]
  /** Returns the output so far. */
  output(): string
  /** Sends a signal, waits for the end, and returns the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Creates a folder in which a test can start demos, one after the other. */
export async function demoFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'rolecall-demo-'))
  const ports = { PORT: await freePort(), DEMO_PORT: await freePort(), CHAT_SIM_PORT: await freePort() }
  const keptFile = join(folder, '.rolecall', 'demo.json')
  const launched = new Set<Demo>()
  const launch = (own: Partial<Ports> = {}, command?: Command) => {
    const demo = launchDemo(folder, { ...ports, ...own }, command)
    launched.add(demo)
    return demo
  }
  /**
   * Ends every demo of this folder, because the next demo needs the ports. Also ends a demo that a failed test has left
   * behind while it was starting.
   */
  const stopAll = async () => {
    for (const demo of launched) await demo.stop('SIGTERM')
    launched.clear()
  }
  return {
    path: folder,
    ports,
    start: (own?: Partial<Ports>, command?: Command) => whenReady(launch(own, command)),
    /** Starts a demo without waiting until it is ready. */
    launch: (own?: Partial<Ports>): Demo => launch(own),
    stopAll,
    /** Returns the data that the demo stores between starts. */
    kept: async () => JSON.parse(await readFile(keptFile, 'utf8')),
    keep: (kept: object) => writeFile(keptFile, JSON.stringify(kept)),
    keptFile,
    remove: async () => {
      await stopAll()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Creates such a folder in which a demo has run once, so that the next start is a second start. A first start takes
 * more than ten seconds of processor time. So a test run makes only one, and later callers get a copy of its folder.
 */
export async function usedDemoFolder() {
  const folder = await demoFolder()
  const data = join(folder.path, '.rolecall')
  const used = join(inject('onceFolder'), 'used-demo')
  if (existsSync(used)) {
    await copyFolder(used, data)
    return folder
  }
  await (await folder.start()).stop()
  // Makes a complete copy, and then renames it. Another caller may have been faster.
  const made = join(await mkdtemp(`${used}-`), 'data')
  await copyFolder(data, made)
  await rename(made, used).catch(() => rm(made, { recursive: true }))
  return folder
}

export type Ports = Readonly<Record<'PORT' | 'DEMO_PORT' | 'CHAT_SIM_PORT', number>>

/** Resolves when a demo has printed its summary. Throws with its output if it ended before. */
async function whenReady(demo: Demo & { readonly isReady: Promise<void> }): Promise<Demo> {
  const hasEnded = await Promise.race([demo.isReady.then(() => false), demo.ended.then(() => true)])
  if (hasEnded) throw new Error(`The demo did not start:\n${demo.output()}`)
  return demo
}

/** A program with its arguments. */
type Command = readonly [string, ...string[]]

/** Starts the demo as a child of a shell that waits for it, like `npm start`. */
export const belowShell: Command = [
  'sh',
  '-c',
  `npm_lifecycle_event=start '${process.execPath}' ${brief.join(' ')} '${program}'; exit $?`,
]

/** Starts the demo as users do, without the flags that make other starts cheaper. */
export const asShipped: Command = [process.execPath, program]

function launchDemo(
  folder: string,
  ports: Ports,
  [file, ...args]: Command = [process.execPath, ...brief, program],
): Demo & { isReady: Promise<void> } {
  const env = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)]))
  const child = spawn(file, args, { cwd: folder, env: { ...process.env, ...env } })
  let output = ''
  const ended = once(child, 'close').then(() => child.exitCode)
  const isReady = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => {
        output += text
        // The demo is ready when it has printed the last line of its summary.
        if (/Bearer \$ADMIN_TOKEN"/.test(output)) resolve()
      })
    }
  })
  return {
    isReady,
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
