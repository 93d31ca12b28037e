import type { monitoring } from '@rolecall/contract'
import { within } from '#platform/within'
import type { Deps } from '../../deps.ts'
import { version } from '../../version.ts'
import type { Heartbeat } from './heartbeat.ts'
import { type InstanceRow, listInstances } from './instances-store.ts'

/** A part that does not answer within this is down. */
const deadlineMs = 1_500
/** What was last heard of the platform is news for so long; after that it is asked. */
const freshForMs = 30_000

type Needs = Pick<Deps, 'db' | 'cache' | 'chat' | 'config' | 'liveMirror' | 'platformWatch' | 'platformRest'>

/** The system in detail, for an operator who wants to know what is wrong, on all instances. */
export async function systemHealth(deps: Needs, heartbeat: Heartbeat): Promise<monitoring.SystemHealth> {
  const [database, cache, instances] = await Promise.all([
    timed(deps.db.ping()),
    timed(deps.cache.ping()),
    heartbeat.beat().then(() => listInstances(deps.db)),
    askPlatform(deps),
  ])
  const chatPlatform = { ...platformHealth(deps), lastEventAt: lastEventOf(instances) }
  const isWhole = [database, cache, chatPlatform].every(({ status }) => status === 'up')
  return {
    status: isWhole ? 'ok' : 'degraded',
    api: {
      version,
      uptime: process.uptime(),
      instances: instances.map(({ lastEventAt, ...one }) => ({
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
  if (last && performance.now() - last.at < freshForMs) return
  await within<unknown>(chat.bot(), deadlineMs, undefined)
}

function platformHealth({ config, liveMirror, platformWatch, platformRest }: Needs) {
  const { state, problem: gatewayProblem } = liveMirror.status().gateway
  const gateway = config.chatGateway && config.chatBotToken ? state : ('off' as const)
  const last = platformWatch.last()
  const rest = platformRest()
  const isLive = (gateway === 'off' || gateway === 'connected') && rest.breaker.length === 0
  // Nothing heard within the deadline: it does not answer.
  const isDown = last === undefined || last.problem !== null
  return {
    status: isDown ? ('down' as const) : isLive ? ('up' as const) : ('degraded' as const),
    problem: last?.problem ?? (isDown ? 'The chat platform did not answer in time.' : gatewayProblem),
    gateway,
    latencyMs: last ? rounded(last.latencyMs) : null,
    rest: { ...rest, breaker: [...rest.breaker] },
  }
}

const lastEventOf = (instances: readonly InstanceRow[]) =>
  instances
    .map(({ lastEventAt }) => lastEventAt?.toISOString() ?? null)
    .reduce((latest, one) => ((one ?? '') > (latest ?? '') ? one : latest), null)

async function timed(answer: Promise<boolean>) {
  const since = performance.now()
  const isUp = await within(answer, deadlineMs, false)
  return {
    status: isUp ? ('up' as const) : ('down' as const),
    latencyMs: isUp ? rounded(performance.now() - since) : null,
  }
}

const rounded = (ms: number) => Math.round(ms * 100) / 100
