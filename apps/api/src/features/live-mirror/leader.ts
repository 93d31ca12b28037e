import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatEvent, ChatGateway, ChatGatewayListener } from '#chat/chat-gateway'
import { DatabaseUnavailable } from '#platform/db/database'
import { readTime } from '#platform/db/read-time'
import type { Deps } from '../../deps.ts'
import { createEventQueue } from './event-queue.ts'
import { takeRole } from './members-store.ts'
import { createResyncs, type ReadServer } from './resyncs.ts'
import { createRoleReads, type ReadRoles } from './role-reads.ts'
import { asLeader, beat, LeadLost } from './store.ts'
import { type MirrorWrites, writeEvents } from './write-events.ts'

/** Most events of one transaction. */
const batchSize = 500
/** Between two batches: what arrives meanwhile shares the next one. */
const batchPauseMs = 10
const retryAfterMs = 250
/** A mirror that is further behind than this is vouched for by nobody. */
const longestLagMs = 500
const membersPerRoleStep = 500

export interface LeaderTiming {
  readonly beatEveryMs: number
  /** How often everything is read anew, because events may be lost on the platform's side. */
  readonly reconcileEveryMs: number
}

export interface Leader {
  /** Settles when this instance leads no more. */
  readonly lost: Promise<void>
  /** Events that are not written yet. */
  pending(): number
  vouched(): readonly string[]
  /** When the platform last told anything, by the database's clock. */
  lastEventAt(): Date | null
  close(): Promise<void>
}

/** What the one who leads is given: how to hear, to read and to write. */
export type LeaderDeps = Pick<Deps, 'db' | 'log'> &
  MirrorWrites & { gateway: ChatGateway; readServer: ReadServer; readRoles: ReadRoles }

/** Writes what the gateway tells into the mirror, and vouches for it as long as it is complete and true. */
export function startLeader(deps: LeaderDeps, epoch: number, timing: LeaderTiming): Leader {
  const { db, log, gateway } = deps
  const queue = createEventQueue()
  let registered = new Set<string>()
  let vouched: readonly string[] = []
  let heardAt: number | undefined
  let lastEventAt: Date | null = null
  let isClosing = false
  let lose = () => {}
  const lost = new Promise<void>((resolve) => {
    lose = resolve
  })

  const roleReads = createRoleReads(deps)
  let heard = 0
  let settled = 0
  /** Until everything that was heard before now is written, or forgotten. */
  const whenSettled = async (signal: AbortSignal): Promise<boolean> => {
    const upTo = heard
    while (settled < upTo && !isClosing && !signal.aborted) await sleep(batchPauseMs)
    return settled >= upTo
  }
  const resyncs = createResyncs(
    {
      log,
      // What was heard before the list was asked for must not be written after it: it would pass for newer.
      readServer: async (serverId, signal) => {
        await whenSettled(signal)
        await deps.readServer(serverId, signal)
      },
    },
    { changed: () => void tell() },
  )

  const listener: ChatGatewayListener = {
    began: (isConcerned) => {
      resyncs.forget(isConcerned)
      tell()
    },
    heard: (event) => {
      heardAt = performance.now()
      const isThere = noteReach(event)
      if (registered.has(event.serverId)) {
        heard += 1
        if (!queue.push(event)) {
          settled = heard - unwritten.length
          log.warn('too many changes to follow: all members are read anew')
          resyncs.invalidate(() => true)
        }
        void write()
      }
      if (isThere === false) tell()
    },
    missed: (isConcerned) => {
      resyncs.invalidate(isConcerned)
      tell()
    },
    changed: () => tell(),
  }

  /** A server that comes back may have changed while it was away. */
  const noteReach = ({ kind, serverId }: ChatEvent): boolean | undefined => {
    if (kind === 'serverAvailable') {
      resyncs.arrived(serverId, registered.has(serverId))
      return true
    }
    if (kind !== 'serverUnavailable' && kind !== 'serverLost') return undefined
    if (kind === 'serverLost' && registered.has(serverId)) {
      log.warn({ serverId }, 'the bot is no longer in a registered server; its members keep their sessions')
    }
    resyncs.departed(serverId)
    return false
  }

  let writing: Promise<void> | undefined
  let unwritten: readonly ChatEvent[] = []
  const write = () => {
    writing ??= writeAll().finally(() => {
      writing = undefined
      // One may have come between the last look and this line.
      if (queue.size() > 0 && !isClosing) void write()
    })
    return writing
  }
  const writeAll = async () => {
    while (!isClosing && queue.size() > 0) {
      unwritten = queue.take(batchSize)
      if (!(await writeBatch(unwritten))) return
      settled += unwritten.length
      unwritten = []
      await sleep(batchPauseMs)
    }
  }
  /** False when this instance leads no more. */
  const writeBatch = async (events: readonly ChatEvent[]): Promise<boolean> => {
    while (!isClosing) {
      try {
        const unknown = await asLeader(db, epoch, (tx) => writeEvents(tx, deps, events))
        for (const serverId of unknown) roleReads.ask(serverId)
        for (const event of events) if (event.kind === 'roleRemoved') void takeRoleFromAll(event)
        return true
      } catch (error) {
        if (error instanceof LeadLost) {
          lose()
          return false
        }
        if (!(error instanceof DatabaseUnavailable)) {
          // Skipped rather than tried for ever; reading everything anew brings what it would have.
          log.error(
            { err: error },
            'changes could not be written: the members of these servers are read anew',
          )
          const serverIds = new Set(events.map(({ serverId }) => serverId))
          resyncs.invalidate((serverId) => serverIds.has(serverId))
          return true
        }
        tell()
        await sleep(retryAfterMs)
      }
    }
    return false
  }
  const takeRoleFromAll = async ({ serverId, roleId }: { serverId: string; roleId: string }) => {
    try {
      while (
        !isClosing &&
        (await asLeader(db, epoch, (tx) => takeRole(tx, serverId, roleId, membersPerRoleStep)))
      ) {
        // Until nobody holds it.
      }
    } catch (error) {
      // Answers leave out roles that do not exist; the next reading of all members tidies the rest.
      log.debug({ err: error, serverId }, 'a removed role stays noted with its holders')
    }
  }

  let telling: Promise<void> | undefined
  let isOutdated = false
  /** Says what is vouched for now; at once, and once more when something changed meanwhile. */
  const tell = () => {
    isOutdated = true
    telling ??= tellAll().finally(() => {
      telling = undefined
    })
    return telling
  }
  const tellAll = async () => {
    while (isOutdated && !isClosing) {
      isOutdated = false
      try {
        // Before anything is looked at: what is said as of this time was so by then, however long saying it takes.
        const now = await readTime(db)
        const proven = provenAt(now)
        const eventAt = heardAt === undefined ? null : before(now, performance.now() - heardAt)
        // What was told may have happened long before, as after a resumed session: until it is written, the mirror
        // is older than the proof.
        const isWritten = proven.size === 0 || (await whenSettled(AbortSignal.timeout(longestLagMs)))
        // What could not be written is read anew, and is not complete until then.
        const complete = isWritten ? resyncs.complete() : []
        const truth = new Map([...proven].filter(([serverId]) => complete.includes(serverId)))
        const answer = await beat(db, { epoch, gateway: gateway.status(), eventAt, vouched: truth })
        if (!answer) return lose()
        vouched = [...truth.keys()]
        lastEventAt = answer.lastEventAt
        registered = new Set(answer.registered)
        resyncs.keepOnly(registered)
      } catch (error) {
        // What was vouched for runs out by itself; the next beat tries again.
        if (!(error instanceof DatabaseUnavailable)) log.error({ err: error }, 'a beat failed')
      }
    }
  }
  const provenAt = (now: Date) => {
    const proven = new Map<string, Date>()
    for (const serverId of resyncs.complete()) {
      const ageMs = gateway.provenAgeMs(serverId)
      if (ageMs !== undefined) proven.set(serverId, before(now, ageMs))
    }
    return proven
  }

  const beats = setInterval(() => void tell(), timing.beatEveryMs)
  const reconciling = setInterval(() => resyncs.repeat(), timing.reconcileEveryMs)
  for (const timer of [beats, reconciling]) timer.unref()
  // What is registered must be known before the first event is heard.
  void tell().then(() => {
    if (!isClosing) gateway.open(listener)
  })

  return {
    lost,
    pending: () => queue.size() + unwritten.length,
    vouched: () => vouched,
    lastEventAt: () => lastEventAt,
    async close() {
      isClosing = true
      clearInterval(beats)
      clearInterval(reconciling)
      roleReads.close()
      await gateway.close()
      await resyncs.close()
      await telling
      await writing
    },
  }
}

const before = (time: Date, ms: number) => new Date(time.getTime() - ms)
