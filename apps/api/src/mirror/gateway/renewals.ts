import type { ChatGateway, ChatGatewaySession } from '#chat/chat-gateway'
import { type Database, DatabaseUnavailable } from '#platform/db/database'
import { readTime } from '#platform/db/read-time'
import type { Log } from '#platform/log'
import type { createEventWriter } from './event-writer.ts'
import { sealHandover } from './handover.ts'
import type { createResyncs } from './resyncs.ts'
import type { createRoleReads } from './role-reads.ts'
import { renewLease } from './store.ts'

/** The gateway vouches for no mirror that is further behind than this. */
const maxLagMs = 500

interface RenewalDeps {
  readonly db: Database
  readonly log: Log
  readonly gateway: ChatGateway
  readonly writer: Pick<ReturnType<typeof createEventWriter>, 'whenSettled' | 'servers' | 'lagMs'>
  readonly resyncs: Pick<ReturnType<typeof createResyncs>, 'complete' | 'reach' | 'keepOnly'>
  readonly roleReads: Pick<ReturnType<typeof createRoleReads>, 'isBusy'>
  /** Undefined if sessions are not handed over. */
  readonly handoverKey: string | undefined
  /** Returns the time of the last received event, by the clock of this process. */
  readonly receivedAt: () => number | undefined
  readonly leadLost: () => void
}

/**
 * Renews the lease. Each renewal states the servers for which the mirror is true, the time of that state, and the
 * place from which the next leader may continue.
 */
export function createRenewals(deps: RenewalDeps, epoch: number) {
  const { db, log, gateway, writer, resyncs, roleReads, handoverKey } = deps
  let registered: ReadonlySet<string> = new Set()
  let vouched: readonly string[] = []
  let lastEventAt: Date | null = null
  let isClosing = false
  let renewing: Promise<void> | undefined
  let isOutdated = false
  let hasRenewed = false

  /** Renews at once, and once more if something changed meanwhile. */
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
        // The current vouching expires, and the next renewal retries.
        if (!(error instanceof DatabaseUnavailable))
          log.error({ err: error }, 'gateway lease renewal failed: internal error')
      }
    }
  }
  const renewOnce = async () => {
    // Read before any state: a statement as of this time stays true, however long it takes to make.
    const now = await readTime(db)
    const proven = provenAt(now)
    const receivedAt = deps.receivedAt()
    const eventAt = receivedAt === undefined ? null : before(now, performance.now() - receivedAt)
    const sessions = gateway.sessions()
    const reach = resyncs.reach()
    // An event may have happened long before, as after a resumed session: until it is written, the mirror is older
    // than the proof.
    const asked = new Set([...proven.keys(), ...writer.servers()])
    const written = await writtenOf([...asked])
    // A server with events that could not be written is read again, and is not complete until then.
    const complete = new Set(resyncs.complete())
    const truth = new Map([...proven].filter(([serverId]) => written.has(serverId) && complete.has(serverId)))
    const safe = sessions && written.size === asked.size ? sessions : undefined
    const isWhole = (serverId: string) => complete.has(serverId) && !roleReads.isBusy(serverId)
    const handover = safe && sealed(safe, reach, isWhole)
    const status = { gateway: gateway.status(), lagMs: Math.round(writer.lagMs()) }
    const answer = await renewLease(db, { epoch, ...status, eventAt, vouched: truth, handover })
    if (!answer) return deps.leadLost()
    if (safe) gateway.acknowledge(safe)
    vouched = [...truth.keys()]
    lastEventAt = answer.lastEventAt
    registered = new Set(answer.registered)
    hasRenewed = true
    resyncs.keepOnly(registered)
  }
  const sealed = (
    sessions: readonly ChatGatewaySession[],
    reach: ReadonlyMap<string, boolean>,
    isWhole: (serverId: string) => boolean,
  ) => {
    if (handoverKey === undefined) return undefined
    const servers = [...reach].map(
      ([serverId, wasComplete]) => [serverId, wasComplete && isWhole(serverId)] as const,
    )
    return sealHandover(handoverKey, { sessions, servers })
  }
  /** Returns the servers with all events received before now written, soon enough. */
  const writtenOf = async (serverIds: readonly string[]): Promise<ReadonlySet<string>> => {
    const deadline = AbortSignal.timeout(maxLagMs)
    const settled = await Promise.all(serverIds.map((serverId) => writer.whenSettled(serverId, deadline)))
    return new Set(serverIds.filter((_, index) => settled[index]))
  }
  const provenAt = (now: Date) => {
    const proven = new Map<string, Date>()
    for (const serverId of resyncs.complete()) {
      const ageMs = gateway.provenAgeMs(serverId)
      if (ageMs !== undefined) proven.set(serverId, before(now, ageMs))
    }
    return proven
  }

  return {
    renew,
    /** Returns true once the database has taken a renewal: before that, the registered servers are unknown. */
    hasRenewed: () => hasRenewed,
    registered: () => registered,
    vouched: () => vouched,
    lastEventAt: () => lastEventAt,
    stop() {
      isClosing = true
    },
    /** Waits for the renewal in progress. */
    ended: async () => void (await renewing),
  }
}

const before = (time: Date, ms: number) => new Date(time.getTime() - ms)
