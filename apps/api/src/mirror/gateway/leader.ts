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
import { type AcquiredLease, listLastWritten, recordBeginnings } from './store.ts'

/** The pause between two reads of the database during an outage. */
const readAgainAfterMs = 250

/** The intervals of the leader's work, in milliseconds. */
export interface LeaderTiming {
  readonly renewEveryMs: number
  /** The interval at which all members and roles are read again, because Discord may lose events. */
  readonly reconcileEveryMs: number
  /** The interval at which a single member is compared with Discord, while few other requests go there. */
  readonly sampleEveryMs: number
}

/** The instance that has the gateway connection, and keeps the mirror of all servers current. */
export interface Leader {
  /** Settles when this instance must no longer act as the leader. */
  readonly ended: Promise<void>
  /** Returns the number of events that were received and not written yet. */
  pending(): number
  /** Returns how long the oldest of these events has waited, in milliseconds. */
  lagMs(): number
  /** Returns how many members were compared with Discord, and how many of them were wrong. */
  samples(): SampleCounts
  /** Returns the servers that are live now: this leader vouches for their mirror. */
  liveServerIds(): readonly string[]
  /** Returns the time of the last event from Discord, by the database's clock. */
  lastEventAt(): Date | null
  close(): Promise<void>
}

/** The dependencies of the leader, with which it can receive events, read servers, and write the mirror. */
export type LeaderDeps = Pick<MirrorDeps, 'db' | 'log' | 'audit' | 'endSessions' | 'chat'> & {
  readonly gateway: ChatGateway
  readonly readServer: ReadServer
  readonly readRoles: ReadRoles
  readonly handoverKey: string | undefined
}

/**
 * Starts to write gateway events into the mirror. The leader "vouches" for a server: it guarantees that the server's
 * mirror is complete and current. It connects these parts:
 *
 * - `writer` writes events in order.
 * - `resyncs` reads each server completely, and again after events may have been lost.
 * - `roleReads` reads the roles of a server if a member holds an unknown one.
 * - `samples` compares single members with Discord.
 * - `renewals` renews the leader's lease, and records the servers that it vouches for.
 */
export function startLeader(deps: LeaderDeps, lease: AcquiredLease, timing: LeaderTiming): Leader {
  const { db, log, gateway, handoverKey } = deps
  // `beginnings` records when earlier leaders began gateway sessions, because Discord limits how often that may happen.
  const { epoch, beginnings, ageMs } = lease
  const handover = handoverKey && lease.handover ? openHandover(handoverKey, lease.handover) : undefined
  /** The last event of each server that earlier leaders have written. */
  let lastWritten: ReadonlyMap<string, EventPosition> = new Map()
  let receivedAt: number | undefined
  let isClosing = false
  /** Settles `ended`, after which `close` is called. */
  let resign = () => {}
  const ended = new Promise<void>((resolve) => {
    resign = resolve
  })

  const roleReads = createRoleReads(deps)
  const writer = createEventWriter(deps, epoch, {
    rolesUnknown: (serverIds) => {
      for (const serverId of serverIds) roleReads.request(serverId)
    },
    eventsLost: (serverIds) => resyncs.invalidate((serverId) => serverIds.has(serverId)),
    delayed: () => void renewals.renew(),
    leadershipLost: () => resign(),
  })
  const resyncs = createResyncs(
    {
      log,
      // Writes waiting events first. An event from before the list would otherwise be written after the list, and seem
      // newer.
      readServer: async (serverId, signal) => {
        await writer.waitUntilWritten(serverId, signal)
        await deps.readServer(serverId, signal)
      },
    },
    { changed: () => void renewals.renew() },
  )
  const renewals = createRenewals(
    {
      ...{ db, log, gateway, writer, resyncs, roleReads, handoverKey },
      receivedAt: () => receivedAt,
      leadershipLost: () => resign(),
    },
    epoch,
  )

  const samples = createSamples(
    {
      ...deps,
      complete: resyncs.complete,
      waitUntilWritten: writer.waitUntilWritten,
      invalidateServer: (serverId) => resyncs.invalidate((id) => id === serverId),
    },
    timing.sampleEveryMs,
  )

  /**
   * Queues an event of a registered server. If the server became unavailable, immediately stops vouching for it.
   */
  const handleEvent = (event: ChatEvent, at: EventPosition) => {
    const isAvailable = updateAvailability(event)
    if (renewals.registered().has(event.serverId) && !wasWritten(event, at)) {
      writer.push({ event, at, receivedAt: performance.now() })
    }
    if (isAvailable === false) void renewals.renew()
  }
  /** Returns true if an earlier leader has written the event. A resumed session repeats such events. */
  const wasWritten = ({ serverId }: ChatEvent, { session, sequence }: EventPosition) => {
    const last = lastWritten.get(serverId)
    return last?.session === session && sequence <= last.sequence
  }
  const listener: ChatGatewayListener = {
    sessionStarted: (isAffected, serverIds, at) => {
      resyncs.reset(isAffected)
      const missing = [...renewals.registered()].filter((id) => isAffected(id) && !serverIds.has(id))
      for (const serverId of missing) handleEvent({ kind: 'serverLost', serverId }, at)
      void renewals.renew()
    },
    received: (event, at) => {
      receivedAt = performance.now()
      handleEvent(event, at)
    },
    eventsMissed: (isAffected) => {
      resyncs.invalidate(isAffected)
      void renewals.renew()
    },
    changed: () => void renewals.renew(),
    beforeSession: (beginnings) => recordBeginnings(db, epoch, beginnings),
  }

  /**
   * Records whether a server is available. Returns that, or undefined if the event does not change it. A server that
   * becomes available again is read, because it may have changed in the meantime.
   */
  const updateAvailability = ({ kind, serverId }: ChatEvent): boolean | undefined => {
    const isRegistered = renewals.registered().has(serverId)
    if (kind === 'serverAvailable') {
      resyncs.serverAvailable(serverId, isRegistered)
      return true
    }
    if (kind !== 'serverUnavailable' && kind !== 'serverLost') return undefined
    if (kind === 'serverLost' && isRegistered) {
      log.warn({ serverId }, 'bot removed from a registered server: its members keep their sessions')
    }
    resyncs.serverUnavailable(serverId)
    return false
  }

  /**
   * Repeats the renewal until one succeeds, because it returns the registered servers. Before that, the connection must
   * not be opened: events of servers that are not registered are dropped, and a resumed session repeats them only once.
   */
  const loadRegistered = async () => {
    for (await renewals.renew(); !isClosing && !renewals.hasRenewed(); await renewals.renew()) {
      await sleep(readAgainAfterMs)
    }
  }
  /** Loads the last event of each server that earlier leaders have written. Repeats the read during an outage. */
  const loadLastWritten = async () => {
    const read = () => ignoreOutage(listLastWritten(db))
    for (let rows = await read(); !isClosing; rows = await read()) {
      if (rows) {
        lastWritten = rows
        return
      }
      await sleep(readAgainAfterMs)
    }
  }
  /**
   * Opens the gateway connection. The registered servers and the events already written must be known before, because
   * both decide what happens to the first event.
   */
  const connect = async () => {
    if (handover) resyncs.restore(handover.servers)
    await loadRegistered()
    await loadLastWritten()
    if (!isClosing) gateway.open(listener, { sessions: handover?.sessions ?? [], beginnings, ageMs })
  }

  const renewing = setInterval(() => void renewals.renew(), timing.renewEveryMs)
  const reconciling = setInterval(() => resyncs.repeat(), timing.reconcileEveryMs)
  for (const timer of [renewing, reconciling]) timer.unref()
  connect().catch((error: unknown) => {
    log.error({ err: error }, 'gateway leadership released: internal error')
    resign()
  })

  return {
    ended,
    pending: writer.pending,
    lagMs: writer.lagMs,
    samples: samples.counts,
    liveServerIds: renewals.liveServerIds,
    lastEventAt: renewals.lastEventAt,
    async close() {
      isClosing = true
      renewals.stop()
      clearInterval(renewing)
      clearInterval(reconciling)
      // Waits for the renewal in progress, which must not overwrite the final handover.
      await renewals.waitForCurrent()
      const finished = writer.close()
      roleReads.close()
      await samples.close()
      await gateway.close()
      await resyncs.close()
      await finished
    },
  }
}
