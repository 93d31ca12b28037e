import type { adminStream } from '@rolecall/contract'
import { singleFlight } from '#platform/async'
import { DatabaseUnavailable } from '#platform/db/database'
import { isCacheUp } from '#platform/part-state'
import type { Deps } from '../../deps.ts'
import { eventsOf } from './events-of.ts'
import { type Change, listChangesAfter, type Position, readPresent } from './store.ts'

/**
 * The interval of reads. Changes within a second are sent together, because each event makes every client read again.
 */
const everyMs = 1_000
/** The interval at which each stream checks its session, so that a stream ends soon after its session. */
const checkEveryMs = 250
/** The maximum number of open streams of this instance. */
export const maxStreams = 200
/** The maximum number of open streams of a session. A further one ends the oldest. */
export const maxStreamsPerSession = 4

/** An open stream, as the hub sees it. */
export interface AdminListener {
  readonly sessionId: string
  /** Sends events, after which the client has everything up to `position`. */
  receive(events: readonly adminStream.AdminEvent[], position: Position): void
  /** Checks whether the stream may continue, and ends it if not. */
  check(): void
  /** Ends the stream, so that its client reconnects. */
  end(): void
}

/** The reads of changes that all streams of the console share. */
export interface AdminHub {
  /** Returns true if another stream can be opened. */
  hasRoom(): boolean
  /** Subscribes a stream. Returns the position after which it receives all events. */
  join(listener: AdminListener): Promise<Position>
  /** Unsubscribes a stream that has ended. */
  leave(listener: AdminListener): void
  /** Ends all streams. A stream that is opened later ends immediately. */
  close(): void
}

type HubDeps = Pick<Deps, 'db' | 'cache' | 'log' | 'chatFigures'>

/**
 * Creates the hub, which reads the changes in the database for all streams of this process. It runs one statement a
 * second while at least one stream is open. Every instance reads all changes, so a stream gets those of other
 * instances, too.
 */
export function createAdminHub({ db, cache, log, chatFigures }: HubDeps): AdminHub {
  const listeners = new Set<AdminListener>()
  let position: Position | undefined
  /**
   * The marks of the changes of the last read, by kind and ID. Reads overlap, so the next read finds some changes
   * again. It does not send those with the same mark.
   */
  let published: ReadonlyMap<string, string> = new Map()
  let health: 'ok' | 'degraded' | undefined
  let isClosed = false
  let isFailing = false

  const publish = (events: readonly adminStream.AdminEvent[], at: Position) => {
    if (events.length > 0) for (const listener of [...listeners]) listener.receive(events, at)
  }
  const publishHealth = (now: 'ok' | 'degraded', at: Position) => {
    const before = health
    health = now
    if (before !== undefined && before !== now)
      publish([{ type: 'health.changed', data: { status: now } }], at)
  }
  const readHealth = async () =>
    (await isCacheUp(cache)) && chatFigures().status === 'up' ? ('ok' as const) : ('degraded' as const)

  const readChanges = async (from: Position) => {
    const found = await listChangesAfter(db, from)
    isFailing = false
    position = found.position
    const isNew = ({ kind, id, mark }: Change) =>
      kind === 'audit' || kind === 'members' || published.get(`${kind} ${id}`) !== mark
    const changes = found.changes.filter(isNew)
    published = new Map(found.changes.map(({ kind, id, mark }) => [`${kind} ${id}`, mark]))
    publish(eventsOf(changes), found.position)
    publishHealth(await readHealth(), found.position)
  }
  const run = async () => {
    const checking = setInterval(() => {
      for (const listener of [...listeners]) listener.check()
    }, checkEveryMs)
    while (listeners.size > 0 && position) {
      const from = position
      await readChanges(from).catch((error: unknown) => {
        publishHealth('degraded', from)
        // The database client logs an outage. Changes during the outage are sent after it.
        if (!isFailing && !(error instanceof DatabaseUnavailable))
          log.error({ err: error }, 'admin stream read failed')
        isFailing = true
      })
      await new Promise((resolve) => setTimeout(resolve, everyMs).unref())
    }
    clearInterval(checking)
    position = undefined
    published = new Map()
    health = undefined
  }
  const start = singleFlight(async () => {
    const present = await readPresent(db)
    // Reads overlap. The changes before the start are marked as published, so that the first read does not send them.
    const { changes } = await listChangesAfter(db, present)
    published = new Map(changes.map(({ kind, id, mark }) => [`${kind} ${id}`, mark]))
    position = present
    void run()
    return present
  })

  return {
    hasRoom: () => listeners.size < maxStreams,
    async join(listener) {
      const own = [...listeners].filter(({ sessionId }) => sessionId === listener.sessionId)
      if (own.length >= maxStreamsPerSession) own[0]?.end()
      listeners.add(listener)
      if (isClosed) listener.end()
      return position ?? start()
    },
    leave: (listener) => void listeners.delete(listener),
    close() {
      isClosed = true
      for (const listener of [...listeners]) listener.end()
    },
  }
}
