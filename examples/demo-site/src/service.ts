import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fstatSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type ChatSim, demo } from '@rolecall/chat-sim'
import { CannotStart } from './cannot-start.ts'
import type { Keep } from './keep.ts'

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const rolecall = file('../../../apps/api/bin/rolecall.js')
const exitWithParent = new URL('../bin/exit-with-parent.js', import.meta.url).href

type Environment = Readonly<Record<string, string | undefined>>

/** The values that the demo's service needs to start. */
export interface ServiceOptions {
  readonly url: string
  readonly port: number
  readonly folder: string
  readonly sim: Pick<ChatSim, 'apiUrl' | 'authorizeUrl' | 'cdnUrl' | 'app'>
  readonly keep: Keep
}

/**
 * Returns the complete environment of the service. Ignores the variables in the shell and in `.env`, which are meant
 * for other services.
 */
const serviceEnvironment = ({ url, port, folder, sim, keep }: ServiceOptions): Environment => ({
  ...process.env,
  NODE_ENV: 'development',
  NODE_OPTIONS: '',
  HOST: '127.0.0.1',
  PORT: String(port),
  PUBLIC_URL: url,
  // Lets a proxy on this machine protect a site, as the guide on reverse proxies shows.
  TRUST_PROXY: '127.0.0.1',
  WORKERS: '1',
  DATABASE_URL: `pglite:${join(folder, 'db')}`,
  CACHE_URL: 'memory:',
  LOG_LEVEL: 'info',
  CHAT_API_URL: sim.apiUrl,
  CHAT_AUTHORIZE_URL: sim.authorizeUrl,
  CHAT_CDN_URL: sim.cdnUrl,
  CHAT_CALLBACK_URL: `${url}/api/auth/callback`,
  CHAT_BOT_TOKEN: sim.app.botToken,
  CHAT_CLIENT_ID: sim.app.clientId,
  CHAT_CLIENT_SECRET: sim.app.clientSecret,
  CHAT_GUILD_ID: demo.mainGuildId,
  CHAT_ADMIN_ROLE_ID: demo.adminRoleId,
  CHAT_AUDITOR_ROLE_ID: demo.roles.quiet,
  CHAT_GATEWAY: 'on',
  OUTBOUND_WEBHOOK_ENCRYPTION_KEY: keep.kept.outboundKey,
  INBOUND_WEBHOOK_ENCRYPTION_KEY: keep.kept.inboundKey,
})

/** The running service of the demo. */
export interface Service {
  /** Resolves when the service responds. Rejects if the service ends before that. */
  readonly listening: Promise<void>
  /** Resolves when it has ended, for any reason. */
  readonly ended: Promise<void>
  readonly logFile: string
  close(): Promise<void>
}

/** Starts `rolecall serve` in its own process, with its log in the data folder. */
export function startService(options: ServiceOptions): Service {
  const logFile = join(options.folder, 'service.log')
  // Adds to the log: a demo that already runs in this folder writes to it.
  const log = openSync(logFile, 'a', 0o600)
  const from = fstatSync(log).size
  const child = fork(rolecall, ['serve'], {
    env: serviceEnvironment(options),
    execArgv: [...process.execArgv, '--import', exitWithParent],
    stdio: ['ignore', log, log, 'ipc'],
    // Its own process group: Ctrl-C reaches only the demo, which then stops the service in order.
    detached: true,
  })
  const ended = once(child, 'exit').then(() => undefined)
  return {
    listening: untilListening(child, options, () => readFileSync(logFile).subarray(from).toString('utf8')),
    ended,
    logFile,
    close: async () => {
      // Stops it as Ctrl-C would: no load balancer needs time to notice the stop.
      child.kill('SIGINT')
      await ended
    },
  }
}

async function untilListening(
  child: ChildProcess,
  { url, folder }: Pick<ServiceOptions, 'url' | 'folder'>,
  readLog: () => string,
) {
  while (child.exitCode === null && child.signalCode === null) {
    // The service responds once its database is migrated. `ready` would take longer, because it waits for background
    // work.
    const answer = await fetch(`${url}/api/health/live`).catch(() => undefined)
    if (answer?.ok) return
    await sleep(20)
  }
  const log = readLog()
  if (log.includes('is in use by another Rolecall process'))
    throw new CannotStart(
      `A demo already runs in ${folder}. Stop it first. To run two at once, use a second copy of the repository.`,
    )
  throw new CannotStart(`The service did not start: ${lastLines(log)}`)
}

/** Returns the service's explanation of why it did not start, or else the last lines of its JSON log. */
function lastLines(log: string): string {
  const lines = log.trim().split('\n')
  const sentences = lines.filter((line) => !line.startsWith('{'))
  return (sentences.length > 0 ? sentences : lines).slice(-5).join('\n')
}
