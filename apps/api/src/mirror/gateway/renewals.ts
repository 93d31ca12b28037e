import type { ChatGateway, ChatGatewaySession } from '#chat/chat-gateway'
import { type Database, DatabaseUnavailable } from '#platform/db/database'
import { readTime } from '#platform/db/read-time'
import type { Log } from '#platform/log'
import type { createEventWriter } from './event-writer.ts'
import { sealHandover } from './handover.ts'
import type { createResyncs } from './resyncs.ts'
import type { createRoleReads } from './role-reads.ts'
import { renewLease } from './store.ts'

/**
 * The longest delay of events that were received. If an event waits longer, the gateway does not vouch for its server.
 */
const maxLagMs = 500

interface RenewalDeps {
  readonly db: Database
  readonly log: Log
  readonly gateway: ChatGateway
  readonly writer: Pick<ReturnType<typeof createEventWriter>, 'waitUntilWritten' | 'servers' | 'lagMs'>
  readonly resyncs: Pick<ReturnType<typeof createResyncs>, 'complete' | 'listAvailable' | 'setRegistered'>
  readonly roleReads: Pick<ReturnType<typeof createRoleReads>, 'isBusy'>
  /** Undefined if gateway sessions are not handed over to the next leader. */
  readonly handoverKey: string | undefined
  /** Returns the arrival time of the last event (monotonic clock), or undefined before the first one. */
  readonly receivedAt: () => number | undefined
  readonly leadershipLost: () => void
}

/**
 * Creates the task that renews the leader's lease. Each renewal also records the servers whose mirror is current, the
 * time up to which each of them is, and where the next leader may continue.
 */
export function createRenewals(deps: RenewalDeps, epoch: number) {
  const { db, log, gateway, writer, resyncs, roleReads, handoverKey } = deps
  let registered: ReadonlySet<string> = new Set()
  let liveServerIds: readonly string[] = []
  let lastEventAt: Date | null = null
  let isClosing = false
  let renewing: Promise<void> | undefined
  let isOutdated = false
  let hasRenewed = false

  /** Renews the lease now. If a renewal is in progress, another one follows it. */
  const renew = () => {
    isOutdated = true
    renewing ??= renewAll().finally(() => {
      renewing = undefined
    })
    return renewing
  }
  const renewAll = async () => {
    while (isOutdated && !isClosing) {
      isOutdated = false
      try {
        await renewOnce()
      } catch (error) {
        // The servers stop being live as soon as the last renewal expires. The next renewal tries again.
        if (!(error instanceof DatabaseUnavailable))
          log.error({ err: error }, 'gateway lease renewal failed: internal error')
      }
    }
  }
  const renewOnce = async () => {
    // Reads the time before everything else. So what is recorded was true at this time, even if the renewal takes long.
    const now = await readTime(db)
    const currentUpTo = listCurrentUpTo(now)
    const receivedAt = deps.receivedAt()
    const eventAt = receivedAt === undefined ? null : before(now, performance.now() - receivedAt)
    const sessions = gateway.sessions()
    const available = resyncs.listAvailable()
    // The events of a resumed session may be much older than their arrival. Until they are written, the mirror is older
    // than `currentUpTo` says.
    const serverIds = new Set([...currentUpTo.keys(), ...writer.servers()])
    const written = await waitForWrites([...serverIds])
    // Read again after the wait, because a server whose events could not be written is no longer complete.
    const complete = new Set(resyncs.complete())
    const current = new Map(
      [...currentUpTo].filter(([serverId]) => written.has(serverId) && complete.has(serverId)),
    )
    const resumable = sessions && written.size === serverIds.size ? sessions : undefined
    const isWhole = (serverId: string) => complete.has(serverId) && !roleReads.isBusy(serverId)
    const handover = resumable && sealState(resumable, available, isWhole)
    const status = { gateway: gateway.status(), lagMs: Math.round(writer.lagMs()) }
    const renewed = await renewLease(db, { epoch, ...status, eventAt, liveAsOf: current, handover })
    if (!renewed) return deps.leadershipLost()
    if (resumable) gateway.acknowledge(resumable)
    liveServerIds = [...current.keys()]
    lastEventAt = renewed.lastEventAt
    registered = new Set(renewed.registered)
    hasRenewed = true
    resyncs.setRegistered(registered)
  }
  /** Returns the encrypted state for the next leader, or undefined without a key. */
  const sealState = (
    sessions: readonly ChatGatewaySession[],
    available: ReadonlyMap<string, boolean>,
    isWhole: (serverId: string) => boolean,
  ) => {
    if (handoverKey === undefined) return undefined
    const servers = [...available].map(
      ([serverId, wasComplete]) => [serverId, wasComplete && isWhole(serverId)] as const,
    )
    return sealHandover(handoverKey, { sessions, servers })
  }
  /**
   * Waits until all events received so far are written. Returns the servers for which that took no longer than
   * `maxLagMs`.
   */
  const waitForWrites = async (serverIds: readonly string[]): Promise<ReadonlySet<string>> => {
    const deadline = AbortSignal.timeout(maxLagMs)
    const settled = await Promise.all(
      serverIds.map((serverId) => writer.waitUntilWritten(serverId, deadline)),
    )
    return new Set(serverIds.filter((_, index) => settled[index]))
  }
  /** Lists, for each complete server, the time up to which the gateway has certainly delivered all its events. */
  const listCurrentUpTo = (now: Date) => {
    const currentUpTo = new Map<string, Date>()
    for (const serverId of resyncs.complete()) {
      const ageMs = gateway.maxStalenessMs(serverId)
      if (ageMs !== undefined) currentUpTo.set(serverId, before(now, ageMs))
    }
    return currentUpTo
  }

  return {
    renew,
    /** Returns true after the first renewal that succeeded. Before that, the registered servers are unknown. */
    hasRenewed: () => hasRenewed,
    registered: () => registered,
    liveServerIds: () => liveServerIds,
    lastEventAt: () => lastEventAt,
    stop() {
      isClosing = true
    },
    /** Waits for the renewal in progress. */
    waitForCurrent: async () => void (await renewing),
  }
}

const before = (time: Date, ms: number) => new Date(time.getTime() - ms)
