import type { ChatEvent, ChatGateway, ChatGatewayListener } from '#chat/chat-gateway'
import { DatabaseUnavailable } from '#platform/db/database'
import { readTime } from '#platform/db/read-time'
import type { MirrorDeps } from '../mirror-deps.ts'
import { createEventWriter } from './event-writer.ts'
import { createResyncs, type ReadServer } from './resyncs.ts'
import { createRoleReads, type ReadRoles } from './role-reads.ts'
import { beat } from './store.ts'

/** A mirror that is further behind than this is vouched for by nobody. */
const longestLagMs = 500

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
export type LeaderDeps = Pick<MirrorDeps, 'db' | 'log' | 'audit' | 'endSessions'> & {
  readonly gateway: ChatGateway
  readonly readServer: ReadServer
  readonly readRoles: ReadRoles
}

/** Writes what the gateway tells into the mirror, and vouches for it as long as it is complete and true. */
export function startLeader(deps: LeaderDeps, epoch: number, timing: LeaderTiming): Leader {
  const { db, log, gateway } = deps
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
  const writer = createEventWriter(deps, epoch, {
    rolesUnknown: (serverIds) => {
      for (const serverId of serverIds) roleReads.ask(serverId)
    },
    forgotten: (serverIds) => resyncs.invalidate((serverId) => serverIds.has(serverId)),
    delayed: () => void tell(),
    leadLost: () => lose(),
  })
  const resyncs = createResyncs(
    {
      log,
      // What was heard before the list was asked for must not be written after it: it would pass for newer.
      readServer: async (serverId, signal) => {
        await writer.whenSettled(serverId, signal)
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
      if (registered.has(event.serverId)) writer.push(event)
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
        const written = await writtenOf([...proven.keys()])
        // What could not be written is read anew, and is not complete until then.
        const complete = resyncs.complete()
        const isTrue = (serverId: string) => written.has(serverId) && complete.includes(serverId)
        const truth = new Map([...proven].filter(([serverId]) => isTrue(serverId)))
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
  /** Those of which everything that was received before now is written, soon enough. */
  const writtenOf = async (serverIds: readonly string[]): Promise<ReadonlySet<string>> => {
    const soon = AbortSignal.timeout(longestLagMs)
    const settled = await Promise.all(serverIds.map((serverId) => writer.whenSettled(serverId, soon)))
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

  const beats = setInterval(() => void tell(), timing.beatEveryMs)
  const reconciling = setInterval(() => resyncs.repeat(), timing.reconcileEveryMs)
  for (const timer of [beats, reconciling]) timer.unref()
  // What is registered must be known before the first event is heard.
  void tell().then(() => {
    if (!isClosing) gateway.open(listener)
  })

  return {
    lost,
    pending: writer.pending,
    vouched: () => vouched,
    lastEventAt: () => lastEventAt,
    async close() {
      isClosing = true
      const written = writer.close()
      clearInterval(beats)
      clearInterval(reconciling)
      roleReads.close()
      await gateway.close()
      await resyncs.close()
      await telling
      await written
    },
  }
}

const before = (time: Date, ms: number) => new Date(time.getTime() - ms)
