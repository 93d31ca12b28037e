import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type ChatSim, demo } from '@rolecall/chat-sim'
import { brief } from '../../../../tools/brief.ts'

const program = fileURLToPath(new URL('../../bin/rolecall.js', import.meta.url))

/** A process of `rolecall serve`, started as by an operator. */
export interface ServiceProcess {
  readonly url: string
  readonly child: ChildProcess
  /** Returns the output so far, of both streams. */
  output(): string
  /** Resolves when the process listens. Rejects if it ends before. */
  readonly listening: Promise<void>
  /** Resolves with the exit code, or null if a signal ended the process. */
  readonly ended: Promise<number | null>
  kill(signal: NodeJS.Signals): Promise<number | null>
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Starts `rolecall serve` in a folder. Variables with the value undefined are not set. */
export function startService(folder: string, environment: Environment, run = program): ServiceProcess {
  const env = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined))
  const child = spawn(process.execPath, [...brief, run, 'serve'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...env } as NodeJS.ProcessEnv,
  })
  // Kills the service even if the test run is interrupted.
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  let output = ''
  const ended = once(child, 'close').then(() => {
    process.off('exit', end)
    return child.exitCode
  })
  const listening = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => {
        output += text
        if (/"msg":"listening on /.test(output)) resolve()
      })
    }
    ended.then(() => reject(new Error(`The service ended before it listened:\n${output}`)))
  })
  // Prevents an unhandled rejection, because tests of refused starts wait only for the end.
  listening.catch(() => {})
  return {
    url: `http://127.0.0.1:${environment['PORT']}`,
    child,
    output: () => output,
    listening,
    ended,
    kill(signal) {
      child.kill(signal)
      return ended
    },
  }
}

/** Returns a complete environment for a simulated platform. Its secrets do not occur in any other text. */
export const environmentFor = (sim: ChatSim, port: number): Record<string, string> => ({
  PORT: String(port),
  DATABASE_URL: 'pglite:data',
  CHAT_API_URL: sim.apiUrl,
  CHAT_AUTHORIZE_URL: sim.authorizeUrl,
  CHAT_CDN_URL: sim.cdnUrl,
  CHAT_BOT_TOKEN: sim.app.botToken,
  CHAT_CLIENT_ID: sim.app.clientId,
  CHAT_CLIENT_SECRET: sim.app.clientSecret,
  CHAT_GUILD_ID: demo.mainGuildId,
  CHAT_ADMIN_ROLE_ID: demo.adminRoleId,
  CHAT_CALLBACK_URL: `http://127.0.0.1:${port}/api/auth/callback`,
  PUBLIC_URL: `http://127.0.0.1:${port}`,
  CHAT_GATEWAY: 'off',
  OUTBOUND_WEBHOOK_ENCRYPTION_KEY: 'c0ffee5a17e08b39d4f1267ac35d90be846f2d7183ae5cf40b92e6d81f7354ca',
  INBOUND_WEBHOOK_ENCRYPTION_KEY: 'c0ffee93b2d4761f0ae85cd7402b9e6138f5a4dc17e2609b85f3ad4c7e018b62',
})

export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Returns the IDs of the children of the process. */
export async function workersOf({ child: { pid } }: ServiceProcess): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text.split(' ').filter(Boolean).map(Number)
}
