import cluster from 'node:cluster'
import { deleteOldEntries } from '#audit/retention'
import { uuidv7 } from '#platform/crypto/uuid'
import { connectionReason, databaseRefusal } from '#platform/db/connection-refusals'
import type { Database } from '#platform/db/database'
import { DatabaseTakesNoWrites, DatabaseUnavailable } from '#platform/db/database'
import { migrate, newerSentence, ownFolder, schemaState } from '#platform/db/migrate'
import { progressSentence } from '#platform/db/migration-progress'
import { chooseInternals } from '#platform/http/check-internals'
import { closeServer } from '#platform/http/close-server'
import { hostProblem } from '#platform/http/host-problem'
import { createLifecycle } from '#platform/http/lifecycle'
import { createLog, type Log } from '#platform/log'
import { tracedDatabase } from '#platform/tracing/traced-database'
import { version } from '#platform/version'
import { emptyChangeLog, trimChanges } from '#session-memory/change-log-store'
import { createApp } from './app.ts'
import { type Config, loadConfig } from './config.ts'
import { ensureMainServer } from './features/chat-servers/main-server.ts'
import { checkKeyFingerprints } from './features/encryption-keys/check-fingerprints.ts'
import { renumberEvents, resetProjects } from './features/events/store.ts'
import { startHousekeeping } from './features/housekeeping/start-housekeeping.ts'
import { createRecorder } from './features/monitoring/recorder.ts'
import { endAllCursors } from './features/project-reads/store.ts'
import { endKeys } from './features/projects/end-keys.ts'
import { takeOverRestored } from './features/restored/take-over.ts'
import { hasActiveSignIns } from './features/sessions/end-store.ts'
import { deleteSessionAddresses } from './features/sessions/own-sessions-store.ts'
import { reviewStoredSchemas } from './features/webhooks/review-schemas.ts'
import { foldTotals } from './mirror/totals-store.ts'
import { endWithEngine } from './process/end-with-engine.ts'
import { readEnvironment } from './process/environment.ts'
import { firstSteps } from './process/first-steps.ts'
import { graceMs, shutDownOnce } from './process/graceful-shutdown.ts'
import { StartRefused } from './process/start-refused.ts'
import { superviseWorkers } from './process/supervise-workers.ts'
import { sendHeartbeats } from './process/worker-heartbeat.ts'
import { createDeps, openConfiguredDatabase } from './wiring/create-deps.ts'

/** The part of the time for a stop that is reserved for writing what is in memory to the database. */
const flushMs = 1_000
/** The number of sessions whose addresses one statement deletes. It is limited so that no request is delayed. */
const addressesPerStep = 1_000
/** The number of totals of member lists that one statement replaces by a sum. */
const totalsPerStep = 1_000
/** The longest time that each step of a start waits for the database. */
const databaseDeadlineMs = 30_000

/** Starts the service with the configuration of its environment. It runs until a signal stops it. */
export async function serve(): Promise<void> {
  sendHeartbeats()
  const { config, problems, warnings } = loadConfig(readEnvironment())
  const instanceId = uuidv7()
  const log = createLog(config.logLevel).child({ instance: instanceId })
  const wrongHost = cluster.isPrimary ? await hostProblem(config.host) : undefined
  const isFatal = config.production && problems.length > 0
  // All workers read the same variables, so only the primary reports problems.
  const hints = firstSteps(problems)
  if (cluster.isPrimary)
    for (const line of isFatal ? warnings : [...warnings, ...problems, ...hints]) log.warn(line)
  if (isFatal || wrongHost)
    throw new StartRefused(
      [...(isFatal ? [...problems, ...hints] : []), wrongHost].filter(Boolean).join('\n'),
    )
  const isEmbedded = config.databaseUrl.startsWith('pglite:')
  if (cluster.isPrimary && config.workers > 1 && !isEmbedded) superviseWorkers(config.workers, log)
  else await serveRequests(config, log, instanceId)
}

async function serveRequests(config: Config, log: Log, instanceId: string): Promise<void> {
  const tracing = config.otlpEndpoint
    ? (await import('#platform/tracing/open-telemetry')).startTracing({
        endpoint: config.otlpEndpoint,
        version,
      })
    : undefined
  const opened = await openConfiguredDatabase(config, log, endWithEngine(log))
  const db = tracing ? tracedDatabase(opened, tracing) : opened
  const applied = await retryUntilUp(() =>
    migrate(db, ownFolder, (progress) => log.info(progressSentence(progress))),
  )
  if (applied.length > 0) log.info({ applied }, 'migrations applied')
  const { newer } = await retryUntilUp(() => schemaState(db))
  if (newer.length > 0) log.warn(newerSentence(newer))
  await retryUntilUp(() =>
    takeOverRestored(
      { db, log },
      [emptyChangeLog, renumberEvents, resetProjects, endAllCursors],
      hasActiveSignIns,
    ),
  )
  await retryUntilUp(() => refuseOtherMainServer(db, config, log))

  for (const problem of await retryUntilUp(() => checkKeyFingerprints(db, config))) log.error(problem)
  const deps = createDeps(config, log, db, { tracing, instanceId })
  // Until the cache has responded once, rate limits are not applied. A cache that is down does not delay the start for
  // long.
  await deps.cache.ping()
  await retryUntilUp(() => deps.settings.start())
  const recorder = createRecorder(deps)
  const housekeeping = startHousekeeping(deps, {
    trimChanges: (horizon) => trimChanges(db, horizon),
    endKeys: () => endKeys(deps),
    retention: deps.settings.current,
    steps: [
      () => deleteOldEntries({ db, record: deps.audit.record }, deps.settings.current().auditDays),
      () => deleteSessionAddresses(db, deps.settings.current().sessionAddressesDays, addressesPerStep),
      () => foldTotals(db, totalsPerStep),
    ],
  })
  const lifecycle = createLifecycle()
  const app = createApp(deps, recorder, lifecycle, { internals: await chooseInternals(log) })
  // Must come before the service listens: other processes may then send a signal, and without a listener, a signal ends
  // the process immediately.
  const stop = shutDownOnce(log, {
    withinMs: graceMs,
    stop: async (why) => {
      // After SIGTERM, a service manager waits while clients switch to other instances. A person in a terminal would
      // have to wait, too, but for nothing.
      const drainMs = why === 'SIGTERM' ? config.drainSec * 1_000 : 0
      if (await closeServer(app, lifecycle, { drainMs, deadlineMs: graceMs - flushMs })) {
        log.warn('connections closed: requests or responses were not finished in time')
      }
      // The lease is given up before the other parts are closed, because writers of other instances wait for its
      // holder.
      await deps.answers.close()
      deps.settings.close()
      await deps.liveMirror.close()
      await deps.deliveries.close()
      await housekeeping.close()
      await deps.chainVerifier.close()
      await recorder.close()
      await deps.limiter.close()
      await deps.unknownTokens.close()
      await deps.cache.close()
      await db.close()
      await tracing?.close()
      return 0
    },
  })
  await listen(app, config)
  const address = app.server.address()
  const port = typeof address === 'object' && address ? address.port : config.port
  log.info(
    { host: config.host, port, database: db.engine, cache: deps.cache.kind },
    `listening on ${config.publicUrl}`,
  )

  deps.answers.start()
  deps.chainVerifier.start()
  deps.deliveries.start()
  void reviewStoredSchemas(deps)
  if (config.chatGateway && config.chatBotToken) deps.liveMirror.start()

  cluster.worker?.on('disconnect', () => stopOrphan(stop))
}

/**
 * Stops a worker whose primary has died. Node.js would end it immediately; this way, it first answers the requests that
 * it has accepted.
 */
function stopOrphan(stop: (why: string) => void) {
  if (cluster.worker) cluster.worker.exitedAfterDisconnect = true
  stop('disconnect')
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
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') {
      throw new StartRefused(
        `Port ${port} is in use. Stop the program that listens there, or choose another port: PORT=${port + 1}.`,
      )
    }
    if (code === 'EACCES') {
      throw new StartRefused(
        `Port ${port} requires more rights than this user has. Choose a port above 1023: PORT=3000.`,
      )
    }
    throw error
  }
}

/**
 * Repeats an operation until the database responds. Orchestrators start everything at once, so the database may still
 * be starting.
 */
async function retryUntilUp<T>(run: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + databaseDeadlineMs
  for (;;) {
    try {
      return await run()
    } catch (error) {
      // The database responds but refuses, so waiting would not help.
      const refusal = databaseRefusal(error)
      if (refusal) throw new StartRefused(refusal)
      if (!(error instanceof DatabaseUnavailable)) throw error
      if (performance.now() > deadline) {
        throw new StartRefused(
          error instanceof DatabaseTakesNoWrites
            ? error.advice
            : `The database did not respond within 30 s (${connectionReason(error.cause)}). Check DATABASE_URL and that the database runs.`,
        )
      }
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
  }
}
