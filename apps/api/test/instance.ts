import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { ChatSim } from '@rolecall/chat-sim'
import { brief } from '../../../tools/brief.ts'
import { buildOnce } from '../../../tools/build-once.js'
import { freePort } from '../../../tools/free-port.js'
import { program } from './command.ts'
import { environmentFor } from './service.ts'

/** An instance of the service in its own process, so that tests can kill or suspend it. */
export interface Instance {
  readonly url: string
  /** Returns the number of times that this instance became the gateway leader. */
  timesLeading(): number
  /** Returns true from the loss of the lead until the instance leads again. */
  hasLostLeadership(): boolean
  /** Suspends the process. Its connections stay open, but it does not respond. */
  hang(): void
  wake(): void
  kill(): Promise<void>
  /** Returns the output so far, and whether the process still runs, for the message of a failed test. */
  told(): string
}

export async function startInstance(
  databaseUrl: string,
  sim: ChatSim,
  env: Record<string, string> = {},
): Promise<Instance> {
  await buildOnce(() => {})
  const port = await freePort()
  const child = spawn(process.execPath, [...brief, program, 'serve'], {
    env: {
      ...process.env,
      ...environmentFor(sim),
      NODE_ENV: 'development',
      DATABASE_URL: databaseUrl,
      CHAT_GATEWAY: 'on',
      PORT: String(port),
      LOG_LEVEL: 'info',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const count = (line: string) => output.split(line).length - 1
  const [leads, lost] = [
    'gateway leadership acquired by this instance',
    'gateway leadership lost to another instance',
  ]
  const url = `http://127.0.0.1:${port}`
  await untilAnswering(url, child, () => output)
  return {
    url,
    timesLeading: () => count(leads),
    hasLostLeadership: () => count(lost) > 0 && count(lost) >= count(leads),
    hang: () => void child.kill('SIGSTOP'),
    wake: () => void child.kill('SIGCONT'),
    kill: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
    told: () => `${child.exitCode ?? child.signalCode ?? 'running'}\n${output}`,
  }
}

async function untilAnswering(url: string, child: ChildProcess, output: () => string) {
  const deadline = performance.now() + 40_000
  for (;;) {
    const isUp = await fetch(`${url}/api/health/live`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) return
    if (child.exitCode !== null || performance.now() > deadline) throw new Error(`no answer:\n${output()}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
