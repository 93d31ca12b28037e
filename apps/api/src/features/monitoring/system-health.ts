import type { monitoring } from '@rolecall/contract'
import { within } from '#platform/async'
import { DatabaseReadOnly, readOnlyAdvice } from '#platform/db/database'
import { databaseState, isCacheUp, partDeadlineMs } from '#platform/part-state'
import { version } from '#platform/version'
import type { Deps } from '../../deps.ts'
import type { Heartbeat } from './heartbeat.ts'
import { listInstances } from './instances-store.ts'

/** That the platform answered is news for so long; after that, and when it did not, it is asked. */
const freshForMs = 30_000

type HealthDeps = Pick<Deps, 'db' | 'cache' | 'chat' | 'platformWatch' | 'chatFigures'>

/** The system in detail, for an operator who wants to know what is wrong, on all instances. */
export async function systemHealth(deps: HealthDeps, heartbeat: Heartbeat): Promise<monitoring.SystemHealth> {
  const [database, cache, instances] = await Promise.all([
    timed(databaseState(deps.db)),
    timed(isCacheUp(deps.cache)),
    beatWhereWritable(heartbeat).then(() => listInstances(deps.db)),
    askPlatform(deps),
  ])
  const chatPlatform = platformHealth(deps)
  const isReadOnly = database.found === 'read-only'
  const parts = {
    database: partHealth(database.found !== 'down', database.latencyMs),
    cache: partHealth(cache.found, cache.latencyMs),
  }
  const isWhole =
    !isReadOnly && [parts.database, parts.cache, chatPlatform].every(({ status }) => status === 'up')
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
    database: { ...parts.database, problem: isReadOnly ? readOnlyAdvice : null, pool: deps.db.pool() },
    cache: parts.cache,
  }
}

/** A read-only database keeps no sign of life, and what is wrong with it is in the answer. */
const beatWhereWritable = (heartbeat: Heartbeat) =>
  heartbeat.beat().catch((error: unknown) => {
    if (!(error instanceof DatabaseReadOnly)) throw error
  })

/** Puts one question to the platform, unless what is known of it is news. */
async function askPlatform({ chat, platformWatch }: HealthDeps) {
  const last = platformWatch.last()
  if (last?.problem === null && performance.now() - last.at < freshForMs) return
  await within<unknown>(chat.bot(), partDeadlineMs, undefined)
}

function platformHealth({ platformWatch, chatFigures }: HealthDeps) {
  const { status, problem, gateway, latencyMs, lastEventAt, rest } = chatFigures()
  const last = platformWatch.last()
  // Nothing heard within the deadline: it does not answer.
  const failure = last ? last.problem : 'The chat platform did not answer in time.'
  const latest = latencyMs ?? last?.latencyMs
  return {
    status: failure === null ? status : ('down' as const),
    problem: failure ?? problem,
    gateway,
    latencyMs: latest === undefined ? null : rounded(latest),
    lastEventAt,
    rest: {
      remaining: rest.remaining,
      perSecond: rest.perSecond,
      invalidRequests: rest.refusedTogether,
      breaker: rest.open.map(({ name }) => name),
    },
  }
}

async function timed<T>(answer: Promise<T>) {
  const since = performance.now()
  const found = await answer
  return { found, latencyMs: performance.now() - since }
}

const partHealth = (isUp: boolean, latencyMs: number) => ({
  status: isUp ? ('up' as const) : ('down' as const),
  latencyMs: isUp ? rounded(latencyMs) : null,
})

const rounded = (ms: number) => Math.round(ms * 100) / 100
