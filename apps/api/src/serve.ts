import cluster from 'node:cluster'
import closeWithGrace from 'close-with-grace'
import type { Database } from '#platform/db/database'
import { DatabaseUnavailable } from '#platform/db/database'
import { migrate } from '#platform/db/migrate'
import { createLog, type Log } from '#platform/log'
import { tracedDatabase } from '#platform/tracing/traced-database'
import { createApp } from './app.ts'
import { type Config, loadConfig } from './config.ts'
import { createDeps, openConfiguredDatabase } from './create-deps.ts'
import { readEnvironment } from './environment.ts'
import { ensureMainServer } from './features/chat-servers/main-server.ts'
import { startHousekeeping } from './features/housekeeping/start-housekeeping.ts'
import { checkKeyFingerprints } from './features/keys/check-fingerprints.ts'
import { createRecorder } from './features/monitoring/recorder.ts'
import { mendRedirectUris } from './features/projects/mend-redirect-uris.ts'
import { trimChanges } from './features/sessions/change-log.ts'
import { StartRefused } from './start-refused.ts'
import { superviseWorkers } from './supervise-workers.ts'
import { version } from './version.ts'

/** Longest time for what is in flight when the process is asked to stop. */
const graceMs = 10_000
/** How long a start waits for a database that is not there yet. */
const databaseDeadlineMs = 30_000

/** Starts the service by its environment and keeps it running until a signal. */
export async function serve(): Promise<void> {
  const { config, problems, warnings } = loadConfig(readEnvironment())
  const log = createLog(config.logLevel)
  const isFatal = config.production && problems.length > 0
  // Workers read the same variables: what is wrong with them is told once.
  if (cluster.isPrimary) for (const line of isFatal ? warnings : [...warnings, ...problems]) log.warn(line)
  if (isFatal) throw new StartRefused(problems.join('\n'))
  const isEmbedded = config.databaseUrl.startsWith('pglite:')
  if (cluster.isPrimary && config.workers > 1 && !isEmbedded) superviseWorkers(config.workers, log)
  else await serveRequests(config, log)
}

async function serveRequests(config: Config, log: Log): Promise<void> {
  const tracing = config.otlpEndpoint
    ? (await import('#platform/tracing/open-telemetry')).startTracing({
        endpoint: config.otlpEndpoint,
        version,
      })
    : undefined
  const opened = await openConfiguredDatabase(config, log)
  const db = tracing ? tracedDatabase(opened, tracing) : opened
  const applied = await whenUp(() => migrate(db), log)
  if (applied.length > 0) log.info({ applied }, 'migrations applied')
  await refuseOtherMainServer(db, config, log)

  for (const problem of await checkKeyFingerprints(db, config)) log.error(problem)
  const deps = createDeps(config, log, db, tracing)
  // Until the cache has answered once the rate limit pauses; a cache that is down does not hold up the start.
  await deps.cache.ping()
  await deps.settings.start()
  await mendRedirectUris(deps)
  const recorder = createRecorder(deps)
  const housekeeping = startHousekeeping(deps, { trimChanges: (horizon) => trimChanges(db, horizon) })
  let closing = false
  const app = createApp(deps, recorder, { isClosing: () => closing })
  await listen(app, config)
  const address = app.server.address()
  const port = typeof address === 'object' && address ? address.port : config.port
  log.info(
    { host: config.host, port, database: db.engine, cache: deps.cache.kind },
    `listening on ${config.publicUrl}`,
  )

  deps.notifications.start()
  if (config.chatGateway && config.chatBotToken) deps.liveMirror.start()

  // Ctrl-C reaches every process of the terminal; workers are asked to stop by the one that started them.
  if (cluster.isWorker) process.on('SIGINT', () => {})
  const skip = cluster.isWorker ? ['SIGINT' as const] : []
  closeWithGrace({ delay: graceMs, logger: log, skip }, async ({ err, signal }) => {
    if (err) log.error({ err }, 'stopping after an error that nobody handled')
    else log.info({ signal }, 'stopping')
    closing = true
    await app.close()
    deps.settings.close()
    await deps.liveMirror.close()
    await deps.notifications.close()
    await housekeeping.close()
    await recorder.close()
    await deps.cache.close()
    await db.close()
    await tracing?.close()
  })
}

async function refuseOtherMainServer(db: Database, config: Config, log: Log) {
  const problem = await ensureMainServer({ db }, config.chatGuildId)
  if (!problem) return
  if (config.production) throw new StartRefused(problem)
  log.warn(problem)
}

async function listen(app: ReturnType<typeof createApp>, { host, port }: { host: string; port: number }) {
  try {
    await app.listen({ host, port })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new StartRefused(
      `Port ${port} is in use. Stop what listens there, or start with another: PORT=${port + 1}.`,
    )
  }
}

/** Waits for a database that is starting too: orchestrators start everything at once. */
async function whenUp<T>(run: () => Promise<T>, log: Log): Promise<T> {
  const deadline = performance.now() + databaseDeadlineMs
  for (;;) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error
      if (performance.now() > deadline) {
        throw new StartRefused(
          'The database did not answer within 30 s. Check DATABASE_URL and that it runs.',
        )
      }
      log.warn('the database does not answer yet')
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
  }
}
