import type { monitoring } from '@rolecall/contract'
import { within } from '#platform/async'
import { version } from '#platform/version'
import type { Deps } from '../../deps.ts'
import type { Heartbeat } from './heartbeat.ts'
import { listInstances } from './instances-store.ts'

/** A part that does not answer within this is down. */
const deadlineMs = 1_500
/** That the platform answered is news for so long; after that, and when it did not, it is asked. */
const freshForMs = 30_000

type Needs = Pick<Deps, 'db' | 'cache' | 'chat' | 'platformWatch' | 'chatFigures'>

/** The system in detail, for an operator who wants to know what is wrong, on all instances. */
export async function systemHealth(deps: Needs, heartbeat: Heartbeat): Promise<monitoring.SystemHealth> {
  const [database, cache, instances] = await Promise.all([
    timed(deps.db.ping()),
    timed(deps.cache.ping()),
    heartbeat.beat().then(() => listInstances(deps.db)),
    askPlatform(deps),
  ])
  const chatPlatform = platformHealth(deps)
  const isWhole = [database, cache, chatPlatform].every(({ status }) => status === 'up')
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
    database: { ...database, pool: deps.db.pool() },
    cache,
  }
}

/** Puts one question to the platform, unless what is known of it is news. */
async function askPlatform({ chat, platformWatch }: Needs) {
  const last = platformWatch.last()
  if (last?.problem === null && performance.now() - last.at < freshForMs) return
  await within<unknown>(chat.bot(), deadlineMs, undefined)
}

function platformHealth({ platformWatch, chatFigures }: Needs) {
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

async function timed(answer: Promise<boolean>) {
  const since = performance.now()
  const isUp = await within(answer, deadlineMs, false)
  return {
    status: isUp ? ('up' as const) : ('down' as const),
    latencyMs: isUp ? rounded(performance.now() - since) : null,
  }
}

const rounded = (ms: number) => Math.round(ms * 100) / 100
