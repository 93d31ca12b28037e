import type { monitoring } from '@rolecall/contract'
import type { ServerNotLive } from '#mirror/gateway/status'
import { version } from '#platform/version'
import { within } from '#platform/within'
import type { Deps } from '../../deps.ts'
import type { Heartbeat } from './heartbeat.ts'
import { listInstances } from './instances-store.ts'

/** A part that does not answer within this is down. */
const deadlineMs = 1_500
/** That the platform answered is news for so long; after that, and when it did not, it is asked. */
const freshForMs = 30_000

type Needs = Pick<Deps, 'db' | 'cache' | 'chat' | 'platformWatch' | 'chatFigures' | 'liveMirror'>

/** The system in detail, for an operator who wants to know what is wrong, on all instances. */
export async function systemHealth(deps: Needs, heartbeat: Heartbeat): Promise<monitoring.SystemHealth> {
  const [database, cache, instances, notLive] = await Promise.all([
    timed(deps.db.ping()),
    timed(deps.cache.ping()),
    heartbeat.beat().then(() => listInstances(deps.db)),
    deps.liveMirror.notLive(),
    askPlatform(deps),
  ])
  const chatPlatform = platformHealth(deps, notLive)
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

function platformHealth({ platformWatch, chatFigures }: Needs, notLive: readonly ServerNotLive[]) {
  const { status, problem, gateway, latencyMs, lastEventAt, lagMs, sessionsLeft, rest } = chatFigures()
  const last = platformWatch.last()
  // Nothing heard within the deadline: it does not answer.
  const failure = last ? last.problem : 'The chat platform did not answer in time.'
  const latest = latencyMs ?? last?.latencyMs
  return {
    status: failure === null ? status : ('down' as const),
    problem: problemOf([problem, ...notLive.map(whyLost), failure]),
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

/** All that is wrong, what can be mended first: a raw failure beside it hides nothing. */
const problemOf = (problems: readonly (string | null)[]) =>
  [...new Set(problems.filter((problem) => problem !== null))].join(' ') || null

const whyLost = ({ serverName, reason }: ServerNotLive) =>
  reason === 'lost'
    ? `The bot is not in ${serverName} any more: invite it again, or remove the server.`
    : null

async function timed(answer: Promise<boolean>) {
  const since = performance.now()
  const isUp = await within(answer, deadlineMs, false)
  return {
    status: isUp ? ('up' as const) : ('down' as const),
    latencyMs: isUp ? rounded(performance.now() - since) : null,
  }
}

const rounded = (ms: number) => Math.round(ms * 100) / 100
