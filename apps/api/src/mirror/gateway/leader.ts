import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatEvent, ChatGateway, ChatGatewayListener, EventPosition } from '#chat/chat-gateway'
import type { MirrorDeps } from '../mirror-deps.ts'
import { createEventWriter } from './event-writer.ts'
import { openHandover } from './handover.ts'
import { ignoreOutage } from './ignore-outage.ts'
import { createRenewals } from './renewals.ts'
import { createResyncs, type ReadServer } from './resyncs.ts'
import { createRoleReads, type ReadRoles } from './role-reads.ts'
import { createSamples, type SampleCounts } from './samples.ts'
import { listWritten, recordBeginnings, type TakenLead } from './store.ts'

/** The pause before a read of the database is repeated during an outage. */
const readAgainAfterMs = 250

export interface LeaderTiming {
  readonly renewEveryMs: number
  /** The interval at which all members and roles are read again, because the platform may lose events. */
  readonly reconcileEveryMs: number
  /**
   * The interval at which one member is compared with the platform, while few other requests are sent to the platform.
   */
  readonly sampleEveryMs: number
}

export interface Leader {
  /** Settles when this instance no longer leads. */
  readonly lost: Promise<void>
  /** Returns the number of unwritten events. */
  pending(): number
  /** Returns the waiting time of the oldest unwritten event. */
  lagMs(): number
  /** Returns the number of members that were compared with the platform, and of those that differed. */
  samples(): SampleCounts
  /** Returns the servers for which the gateway vouches. */
  vouched(): readonly string[]
  /** Returns the time of the platform's last event, by the database's clock. */
  lastEventAt(): Date | null
  close(): Promise<void>
}

/** The dependencies of the leader, which receives events, reads servers, and writes the mirror. */
export type LeaderDeps = Pick<MirrorDeps, 'db' | 'log' | 'audit' | 'endSessions' | 'chat'> & {
  readonly gateway: ChatGateway
  readonly readServer: ReadServer
  readonly readRoles: ReadRoles
  readonly handoverKey: string | undefined
}

/**
 * Writes gateway events into the mirror, and vouches for the mirror while it is complete and current. Connects these
 * parts:
 *
 * - `writer` writes events in order.
 * - `resyncs` reads each server, and reads it again after events may have been lost.
 * - `roleReads` reads the roles of a server when a member holds an unknown one.
 * - `samples` compares single members with the platform.
 * - `renewals` renews the lease, and states the servers with a current mirror.
 */
export function startLeader(deps: LeaderDeps, lead: TakenLead, timing: LeaderTiming): Leader {
  const { db, log, gateway, handoverKey } = deps
  const { epoch, beginnings, ageMs } = lead
  const handover = handoverKey && lead.handover ? openHandover(handoverKey, lead.handover) : undefined
  /** The last event of each server that previous leaders have written. */
  let written: ReadonlyMap<string, EventPosition> = new Map()
  let receivedAt: number | undefined
  let isClosing = false
  let lose = () => {}
  const lost = new Promise<void>((resolve) => {
    lose = resolve
  })

  const roleReads = createRoleReads(deps)
  const writer = createEventWriter(deps, epoch, {
    rolesUnknown: (serverIds) => {
      for (const serverId of serverIds) roleReads.request(serverId)
    },
    eventsLost: (serverIds) => resyncs.invalidate((serverId) => serverIds.has(serverId)),
    delayed: () => void renewals.renew(),
    leadLost: () => lose(),
  })
  const resyncs = createResyncs(
    {
      log,
      // Writes pending events first. An event that is older than the list would otherwise be written after it, and seem
      // newer.
      readServer: async (serverId, signal) => {
        await writer.whenSettled(serverId, signal)
        await deps.readServer(serverId, signal)
      },
    },
    { changed: () => void renewals.renew() },
  )
  const renewals = createRenewals(
    {
      ...{ db, log, gateway, writer, resyncs, roleReads, handoverKey },
      receivedAt: () => receivedAt,
      leadLost: () => lose(),
    },
    epoch,
  )

  const samples = createSamples(
    {
      ...deps,
      complete: resyncs.complete,
      whenSettled: writer.whenSettled,
      invalidateServer: (serverId) => resyncs.invalidate((id) => id === serverId),
    },
    timing.sampleEveryMs,
  )

  /** Queues an event of a registered server. If the server is no longer reachable, stops vouching for it at once. */
  const handleEvent = (event: ChatEvent, at: EventPosition) => {
    const isReachable = updateReach(event)
    if (renewals.registered().has(event.serverId) && !isWritten(event, at)) {
      writer.push({ event, at, receivedAt: performance.now() })
    }
    if (isReachable === false) void renewals.renew()
  }
  /** Returns true for an event that a previous leader has written. A resumed session repeats such events. */
  const isWritten = ({ serverId }: ChatEvent, { session, sequence }: EventPosition) => {
    const last = written.get(serverId)
    return last?.session === session && sequence <= last.sequence
  }
  const listener: ChatGatewayListener = {
    sessionStarted: (isConcerned, serverIds, at) => {
      resyncs.reset(isConcerned)
      const missing = [...renewals.registered()].filter((id) => isConcerned(id) && !serverIds.has(id))
      for (const serverId of missing) handleEvent({ kind: 'serverLost', serverId }, at)
      void renewals.renew()
    },
    received: (event, at) => {
      receivedAt = performance.now()
      handleEvent(event, at)
    },
    eventsMissed: (isConcerned) => {
      resyncs.invalidate(isConcerned)
      void renewals.renew()
    },
    changed: () => void renewals.renew(),
    beginning: (known) => recordBeginnings(db, epoch, known),
  }

  /**
   * Updates whether a server is reachable. Returns true or false if the event says so, and undefined for other events.
   * A server that becomes available is read again, because it may have changed during the outage.
   */
  const updateReach = ({ kind, serverId }: ChatEvent): boolean | undefined => {
    const isRegistered = renewals.registered().has(serverId)
    if (kind === 'serverAvailable') {
      resyncs.arrived(serverId, isRegistered)
      return true
    }
    if (kind !== 'serverUnavailable' && kind !== 'serverLost') return undefined
    if (kind === 'serverLost' && isRegistered) {
      log.warn({ serverId }, 'bot removed from a registered server: its members keep their sessions')
    }
    resyncs.departed(serverId)
    return false
  }

  /**
   * Reads the registered servers with the first renewal. Events of other servers are dropped, and a resumed session
   * repeats missed events only once. So events that arrived before the servers are known would be lost.
   */
  const readRegistered = async () => {
    for (await renewals.renew(); !isClosing && !renewals.hasRenewed(); await renewals.renew()) {
      await sleep(readAgainAfterMs)
    }
  }
  /** Reads the last event of each server that previous leaders have written. */
  const readWritten = async () => {
    const read = () => ignoreOutage(listWritten(db))
    for (let rows = await read(); !isClosing; rows = await read()) {
      if (rows) {
        written = rows
        return
      }
      await sleep(readAgainAfterMs)
    }
  }
  /**
   * Opens the gateway once the registered servers and the events already written are known, because both decide about
   * the first event.
   */
  const connect = async () => {
    if (handover) resyncs.adopt(handover.servers)
    await readRegistered()
    await readWritten()
    if (!isClosing) gateway.open(listener, { sessions: handover?.sessions ?? [], beginnings, ageMs })
  }

  const renewing = setInterval(() => void renewals.renew(), timing.renewEveryMs)
  const reconciling = setInterval(() => resyncs.repeat(), timing.reconcileEveryMs)
  for (const timer of [renewing, reconciling]) timer.unref()
  connect().catch((error: unknown) => {
    log.error({ err: error }, 'gateway leadership released: internal error')
    lose()
  })

  return {
    lost,
    pending: writer.pending,
    lagMs: writer.lagMs,
    samples: samples.counts,
    vouched: renewals.vouched,
    lastEventAt: renewals.lastEventAt,
    async close() {
      isClosing = true
      renewals.stop()
      clearInterval(renewing)
      clearInterval(reconciling)
      // Wait for the running renewal: it must not overwrite the final handover.
      await renewals.ended()
      const finished = writer.close()
      roleReads.close()
      await samples.close()
      await gateway.close()
      await resyncs.close()
      await finished
    },
  }
}
