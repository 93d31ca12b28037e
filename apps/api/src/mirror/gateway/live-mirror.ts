import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatGatewayTiming } from '#chat/chat-gateway'
import { within } from '#platform/async'
import type { MirrorDeps } from '../mirror-deps.ts'
import { readWholeServer } from '../rest/read-whole-server.ts'
import { syncServer } from '../rest/sync-server.ts'
import { ignoreOutage } from './ignore-outage.ts'
import type { LeaderTiming } from './leader.ts'
import { createLedGroup, type LedGroup } from './led-group.ts'
import { mergeStatus, statusElsewhere } from './merge-status.ts'
import { listNotLive } from './not-live-store.ts'
import { groupToAskFor } from './spread.ts'
import type { LiveMirror, ServerNotLive } from './status.ts'
import { askForGroup, type LeaderState, leaderStates } from './store.ts'

export interface LiveMirrorTiming extends LeaderTiming {
  /** How often an instance looks whether each group is led. */
  readonly lookEveryMs: number
  /** For how long a group that was left to an instance that asked for it is left to others. */
  readonly leftForMs: number
}

const defaults: LiveMirrorTiming = {
  lookEveryMs: 500,
  leftForMs: 5_000,
  renewEveryMs: 1_000,
  reconcileEveryMs: 60 * 60_000,
  sampleEveryMs: 500,
}

/** How long whoever asks for the servers that are not live waits for the database. */
const maxAskMs = 300

/**
 * Leadership is a lease in the database. An advisory lock would not do: a hung process keeps its connection,
 * and with it the lock; and a lock says nothing to a batch that is on its way. The lease names an epoch, and
 * whatever the leader writes, it writes only while that epoch holds. There is one for each group of shards.
 */
export function createLiveMirror(
  deps: MirrorDeps,
  options: {
    handoverKey?: string | undefined
    /** Into how many groups the shards are divided, the same number on all instances. */
    groups?: number
    mirror?: Partial<LiveMirrorTiming>
    gateway?: Partial<ChatGatewayTiming>
  } = {},
): LiveMirror {
  const { db, log } = deps
  const timing = { ...defaults, ...options.mirror }
  const count = options.groups ?? 1
  const holder = randomUUID()
  // Nobody else can have the embedded database.
  const isAlone = db.engine === 'pglite'
  const groups = Array.from({ length: count }, (_, index) => {
    const group = { index, count }
    const leading = {
      ...deps,
      gateway: deps.chat.gateway(options.gateway, group),
      handoverKey: options.handoverKey,
      readServer: (serverId: string, signal: AbortSignal) => readWholeServer(deps, serverId, signal),
      readRoles: (serverId: string) => syncServer(deps, serverId),
    }
    return createLedGroup(leading, { holder, group, isAlone, timing })
  })
  const closing = new AbortController()
  /** Until when groups that were left to others are. */
  const leftUntil = new Map<LedGroup, number>()
  let states: readonly LeaderState[] = []
  let otherCount: number | undefined
  let running: Promise<void> | undefined
  let lastNotLive: readonly ServerNotLive[] = []
  let asking: Promise<readonly ServerNotLive[]> | undefined

  const stateOf = ({ group }: LedGroup) =>
    states.find(({ index, count: of }) => index === group.index && of === count)
  const countProblem = () =>
    otherCount === undefined
      ? null
      : `GATEWAY_GROUPS is ${count} here and ${otherCount} on instances that lead: give all the same.`
  const noteOtherCount = (led: number | undefined) => {
    const isNew = led !== otherCount
    otherCount = led
    const problem = countProblem()
    if (isNew && problem) log.warn(problem)
  }

  const lookOnce = async () => {
    // The only group is led here: there is nothing to look for.
    if (count === 1 && groups.every((group) => group.isLed())) return
    const found = await ignoreOutage(leaderStates(db))
    states = found ?? []
    if (!found && !isAlone) return
    noteOtherCount(isAlone ? undefined : states.find((one) => one.count !== count && !one.isVacant)?.count)
    if (otherCount !== undefined) return
    await takeVacant()
    if (count > 1 && !closing.signal.aborted) await spread()
  }
  const takeVacant = async () => {
    for (const group of groups) {
      if (closing.signal.aborted) return
      const isVacant = isAlone || (stateOf(group)?.isVacant ?? true)
      const isLeft = (leftUntil.get(group) ?? 0) > performance.now()
      if (isVacant && !isLeft && !group.isLed()) await group.take()
    }
  }
  /** A group that is asked for is left to whoever asks; or one is asked for here. */
  const spread = async () => {
    const led = groups.filter((group) => group.isLed())
    const wanted = led.findLast((group) => stateOf(group)?.isWanted)
    if (wanted && led.length > 1) {
      log.info({ group: wanted.group.index, of: count }, 'a group of shards is left to another instance')
      leftUntil.set(wanted, performance.now() + timing.leftForMs)
      await wanted.leave()
      return
    }
    const mostly = groupToAskFor(states, holder)
    if (mostly?.holder) await ignoreOutage(askForGroup(db, mostly, mostly.holder))
  }
  /** As last known where the database does not say at once: a scrape waits for nobody. */
  const notLive = () => {
    asking ??= listNotLive(db)
      .then((found) => {
        lastNotLive = found
        return found
      })
      .finally(() => {
        asking = undefined
      })
    return within(asking, maxAskMs, lastNotLive)
  }
  const run = async () => {
    while (!closing.signal.aborted) {
      await lookOnce().catch((error: unknown) =>
        log.error({ err: error }, 'gateway leader check failed: internal error'),
      )
      await sleep(timing.lookEveryMs, undefined, { signal: closing.signal }).catch(() => {})
    }
    await Promise.all(groups.map((group) => group.leave()))
  }

  return {
    start() {
      running = run()
    },
    status() {
      const without = { state: running ? ('closed' as const) : ('off' as const), problem: countProblem() }
      return mergeStatus(groups.map((group) => group.status() ?? statusElsewhere(stateOf(group), without)))
    },
    notLive: async () => (running ? notLive() : []),
    async close() {
      closing.abort()
      await running
    },
  }
}
