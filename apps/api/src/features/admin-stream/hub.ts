import type { adminStream } from '@rolecall/contract'
import { singleFlight } from '#platform/async'
import { DatabaseUnavailable } from '#platform/db/database'
import { isCacheUp } from '#platform/part-state'
import type { Deps } from '../../deps.ts'
import { eventsOf } from './events-of.ts'
import { type Change, listChangesAfter, type Position, readPresent } from './store.ts'

/**
 * The interval of reads. Changes within a second are sent together, because each client reads again after an event,
 * which is the cost.
 */
const everyMs = 1_000
/** The interval of session checks: a stream ends after its session as soon as cached responses must reflect the end. */
const checkEveryMs = 250
export const maxStreams = 200
export const maxStreamsPerSession = 4

export interface AdminListener {
  readonly sessionId: string
  take(events: readonly adminStream.AdminEvent[], position: Position): void
  /** Checks whether the stream may continue, and ends it if not. */
  check(): void
  end(): void
}

export interface AdminHub {
  /** Returns true while there is room for another stream. */
  hasRoom(): boolean
  /** Sends the listener every event after the returned position. */
  join(listener: AdminListener): Promise<Position>
  leave(listener: AdminListener): void
  /** Ends all streams; a stream that is opened later ends at once. */
  close(): void
}

type HubDeps = Pick<Deps, 'db' | 'cache' | 'log' | 'chatFigures'>

/**
 * Reads the changes in the database for all streams of this process. It runs one statement a second while a stream is
 * open, regardless of the number of streams and changes. Every instance reads the same changes, so every stream gets
 * all of them.
 */
export function createAdminHub({ db, cache, log, chatFigures }: HubDeps): AdminHub {
  const listeners = new Set<AdminListener>()
  let position: Position | undefined
  /** The changes of the last read. A change that the next read finds with the same mark has been sent already. */
  let published: ReadonlyMap<string, string> = new Map()
  let health: 'ok' | 'degraded' | undefined
  let isClosed = false
  let isFailing = false

  const publish = (events: readonly adminStream.AdminEvent[], at: Position) => {
    if (events.length > 0) for (const listener of [...listeners]) listener.take(events, at)
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
        // An outage is logged once, by `availability.ts`. Changes during the outage are sent after it.
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
    // Changes from the overlap before the position are known already, so they are not sent.
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
