import type { monitoring } from '@rolecall/contract'
import type { ServerNotLive } from '#mirror/gateway/status'
import { within } from '#platform/async'
import { type DatabaseState, DatabaseTakesNoWrites, fullAdvice, readOnlyAdvice } from '#platform/db/database'
import { databaseState, isCacheUp, partDeadlineMs } from '#platform/part-state'
import { version } from '#platform/version'
import type { Deps } from '../../deps.ts'
import type { Heartbeat } from './heartbeat.ts'
import { listInstances } from './instances-store.ts'

/**
 * The time for which the last response of Discord counts as current. If it is older, or if the last request failed, a
 * request for the health sends a request to Discord.
 */
const freshForMs = 30_000

type HealthDeps = Pick<Deps, 'db' | 'cache' | 'chat' | 'platformWatch' | 'chatFigures' | 'liveMirror'>

/** Returns the health of the service and its dependencies in detail, for all instances. */
export async function systemHealth(deps: HealthDeps, heartbeat: Heartbeat): Promise<monitoring.SystemHealth> {
  const [database, cache, instances, notLive] = await Promise.all([
    timed(databaseState(deps.db)),
    timed(isCacheUp(deps.cache)),
    sendWhereWritable(heartbeat).then(() => listInstances(deps.db)),
    deps.liveMirror.listNotLiveServers(),
    checkPlatform(deps),
  ])
  const chatPlatform = platformHealth(deps, notLive)
  const databaseProblem = adviceOn(database.found)
  const parts = {
    database: partHealth(database.found !== 'down', database.latencyMs),
    cache: partHealth(cache.found, cache.latencyMs),
  }
  const isWhole =
    databaseProblem === null &&
    [parts.database, parts.cache, chatPlatform].every(({ status }) => status === 'up')
  return {
    status: isWhole ? 'ok' : 'degraded',
    api: {
      version,
      uptime: process.uptime(),
      instances: instances.map((one) => ({
        ...one,
        startedAt: one.startedAt.toISOString(),
        lastSeenAt: one.lastSeenAt.toISOString(),
        isSelf: one.id === heartbeat.id,
      })),
    },
    chatPlatform,
    database: { ...parts.database, problem: databaseProblem, pool: deps.db.pool() },
    cache: parts.cache,
  }
}

const adviceOn = (found: DatabaseState) =>
  found === 'read-only' ? readOnlyAdvice : found === 'full' ? fullAdvice : null

/**
 * Sends a heartbeat, so that the list of instances is current. Ignores a database that accepts no writes, because the
 * response reports this problem anyway.
 */
const sendWhereWritable = (heartbeat: Heartbeat) =>
  heartbeat.send().catch((error: unknown) => {
    if (!(error instanceof DatabaseTakesNoWrites)) throw error
  })

/** Sends a request to Discord, unless its last response is current. */
async function checkPlatform({ chat, platformWatch }: HealthDeps) {
  const last = platformWatch.lastRequest()
  if (last?.problem === null && performance.now() - last.at < freshForMs) return
  await within<unknown>(chat.bot(), partDeadlineMs, undefined)
}

/** Returns the health of Discord and of the gateway. */
function platformHealth({ platformWatch, chatFigures }: HealthDeps, notLive: readonly ServerNotLive[]) {
  const { status, problem, gateway, latencyMs, lastEventAt, lagMs, sessionsLeft, rest } = chatFigures()
  const last = platformWatch.lastRequest()
  // No response within the deadline counts as down.
  const failure = last ? last.problem : 'Discord did not respond in time.'
  const latest = latencyMs ?? last?.latencyMs
  return {
    status: failure === null ? status : ('down' as const),
    problem: firstProblem([problem, ...notLive.map(describeNotLive), failure]),
    gateway,
    latencyMs: latest === undefined ? null : rounded(latest),
    lastEventAt,
    lagMs,
    sessionsLeft,
    notLive: [...notLive],
    rest: {
      remaining: rest.remaining,
      perSecond: rest.perSecond,
      invalidRequests: rest.refusedTogether,
      breaker: rest.open.map(({ name }) => name),
    },
  }
}

/**
 * Joins the problems to one text, without repetitions. The order is the caller's: first those that an operator can fix.
 */
const firstProblem = (problems: readonly (string | null)[]) =>
  [...new Set(problems.filter((problem) => problem !== null))].join(' ') || null

const describeNotLive = ({ serverName, reason }: ServerNotLive) =>
  reason === 'lost' ? `The bot is no longer in ${serverName}. Invite it again, or remove the server.` : null

async function timed<T>(response: Promise<T>) {
  const since = performance.now()
  const found = await response
  return { found, latencyMs: performance.now() - since }
}

const partHealth = (isUp: boolean, latencyMs: number) => ({
  status: isUp ? ('up' as const) : ('down' as const),
  latencyMs: isUp ? rounded(latencyMs) : null,
})

const rounded = (ms: number) => Math.round(ms * 100) / 100
