import { setTimeout as sleep } from 'node:timers/promises'
import { type ChatSim, demo, startChatSim } from '@rolecall/chat-sim'
import { parseUrl } from '#platform/parse-url'
import { freePort } from '../../../tools/free-port.js'
import { createApp } from '../src/app.ts'
import { type Config, loadConfig, type Variable, variables } from '../src/config.ts'
import type { Deps } from '../src/deps.ts'
import { ensureMainServer } from '../src/features/chat-servers/main-server.ts'
import type { Recorder } from '../src/features/monitoring/recorder.ts'
import { createRecorder } from '../src/features/monitoring/recorder.ts'
import { syncServer } from '../src/mirror/rest/sync-server.ts'
import { mayWrite } from '../src/platform/db/watched-writes.ts'
import { closeServer } from '../src/platform/http/close-server.ts'
import { createLifecycle } from '../src/platform/http/lifecycle.ts'
import { createLog } from '../src/platform/log.ts'
import { createPressure } from '../src/platform/pressure.ts'
import type { AnswersOptions } from '../src/session-memory/answers.ts'
import { createDeps, openConfiguredDatabase } from '../src/wiring/create-deps.ts'
import { createDatabase, type Engine, type TestDatabase } from './databases.ts'
import { observedDatabase } from './observed-database.ts'
import { LogSweep } from './secrets.ts'
import { notingStatements } from './statements.ts'

/** A running instance of the service, with real HTTP on its own port and real storage. */
export interface Service {
  readonly url: string
  readonly config: Config
  readonly deps: Deps
  readonly recorder: Recorder
  /** The whole log, at the level `debug`. */
  readonly logs: LogSweep
  /** Returns the statements that this instance sends outside of transactions while `run` runs. */
  statementsOf(run: () => Promise<unknown>): Promise<readonly string[]>
  /** @throws if a secret was logged */
  close(): Promise<void>
}

/** A database, the simulated platform, and one instance that uses both. */
export interface World {
  readonly engine: Engine
  readonly sim: ChatSim
  readonly database: TestDatabase
  readonly service: Service
  readonly url: string
  /** Starts another instance on the same database. Only for PostgreSQL. */
  another(env?: Record<string, string>, answersOptions?: AnswersOptions): Promise<Service>
  close(): Promise<void>
}

export async function startWorld(
  engine: Engine,
  env: Record<string, string> = {},
  given?: TestDatabase,
): Promise<World> {
  const sim = await startChatSim({ headlessLogin: true })
  const database = given ?? (await createDatabase(engine))
  const services: Service[] = []
  const start = async (more: Record<string, string> = {}, answersOptions: AnswersOptions = {}) => {
    const service = await startService(database.url, sim, { ...env, ...more }, answersOptions)
    services.push(service)
    return service
  }
  const service = await start()
  return {
    engine,
    sim,
    database,
    service,
    url: service.url,
    another: start,
    close: async () => {
      const ends = await Promise.allSettled(services.map((one) => one.close()))
      await sim.close()
      await database.drop()
      for (const end of ends) if (end.status === 'rejected') throw end.reason
    },
  }
}

async function startService(
  databaseUrl: string,
  sim: ChatSim,
  env: Record<string, string>,
  answersOptions: AnswersOptions = {},
): Promise<Service> {
  const { config: loaded } = loadConfig({ ...environmentFor(sim), DATABASE_URL: databaseUrl, ...env })
  const logs = new LogSweep(secretsOf(loaded))
  const log = createLog('debug', logs)
  const watchers = new Set<(text: string) => void>()
  const db = observedDatabase(notingStatements(await openConfiguredDatabase(loaded, log)), (text) => {
    for (const watch of watchers) watch(text)
  })
  // Sets the public address after the start, because the port is not known earlier.
  const port = Number(env['PORT'] ?? (await freePort()))
  const publicUrl = env['PUBLIC_URL'] ?? `http://127.0.0.1:${port}`
  const config = { ...loaded, publicUrl, port, chatCallbackUrl: `${publicUrl}/api/auth/callback` }
  sim.allowRedirect(config.chatCallbackUrl)
  await ensureMainServer({ db }, config.chatGuildId)
  const deps = {
    ...createDeps(config, log, db, { answersOptions }),
    // Turns the check for overload off, because tests, databases, and other services share this process.
    pressure: createPressure(log, { now: () => 0, memory: () => 0 }),
  }
  await deps.settings.start()
  await syncServer(deps, demo.mainGuildId)
  const recorder = createRecorder(deps)
  const lifecycle = createLifecycle()
  const app = createApp(deps, recorder, lifecycle)
  await app.listen({ host: '127.0.0.1', port })
  deps.answers.start()
  for (let i = 0; i < 500 && !deps.answers.isLeased(); i++) await sleep(10)
  return {
    url: `http://127.0.0.1:${port}`,
    config,
    deps: { ...deps, db: confirmedWrites(deps) },
    statementsOf: async (run) => {
      const texts: string[] = []
      const watch = (text: string) => void texts.push(text)
      watchers.add(watch)
      await run().finally(() => watchers.delete(watch))
      return texts
    },
    recorder,
    logs,
    close: async () => {
      if (lifecycle.isClosing()) return
      await closeServer(app, lifecycle, { drainMs: 0, deadlineMs: 60_000 })
      await deps.answers.close()
      deps.settings.close()
      await Promise.all([deps.chainVerifier.close(), deps.deliveries.close()])
      await recorder.close()
      await deps.cache.close()
      await db.close()
      logs.expectNoSecrets()
    },
  }
}

/** Waits until all instances know the writes of a test, as the service does before it responds to a client. */
function confirmedWrites({ db, answers }: Pick<Deps, 'db' | 'answers'>): Deps['db'] {
  const confirmed = async <T>(done: Promise<T>, isWrite: boolean): Promise<T> => {
    const result = await done
    if (isWrite) await answers.confirm()
    return result
  }
  return {
    ...db,
    query: (statement) => confirmed(db.query(statement), mayWrite(statement)),
    maybeOne: (statement) => confirmed(db.maybeOne(statement), mayWrite(statement)),
    execute: (statement) => confirmed(db.execute(statement), mayWrite(statement)),
    transaction: (work, options) => confirmed(db.transaction(work, options), true),
  }
}

/** Returns the secret values of the configuration. */
const secretsOf = (config: Config): string[] =>
  Object.entries<Variable>(variables).flatMap(([key, { secret }]) => {
    const value = secret && config[key as keyof Config]
    return typeof value === 'string' && !isPlainAddress(value) ? [value] : []
  })

/** Returns true if an address is secret, because it contains a password. */
const isPlainAddress = (value: string) => parseUrl(value)?.password === ''

/** Returns the environment with which the service uses the simulated platform. */
export const environmentFor = (sim: ChatSim): Record<string, string> => ({
  NODE_ENV: 'test',
  CHAT_API_URL: sim.apiUrl,
  CHAT_AUTHORIZE_URL: sim.authorizeUrl,
  CHAT_CDN_URL: sim.cdnUrl,
  CHAT_BOT_TOKEN: sim.app.botToken,
  CHAT_CLIENT_ID: sim.app.clientId,
  CHAT_CLIENT_SECRET: sim.app.clientSecret,
  CHAT_GUILD_ID: demo.mainGuildId,
  CHAT_ADMIN_ROLE_ID: demo.adminRoleId,
  CHAT_CALLBACK_URL: 'http://127.0.0.1:3000/api/auth/callback',
  CHAT_GATEWAY: 'off',
  OUTBOUND_WEBHOOK_ENCRYPTION_KEY: '1'.repeat(64),
  INBOUND_WEBHOOK_ENCRYPTION_KEY: '2'.repeat(64),
})
