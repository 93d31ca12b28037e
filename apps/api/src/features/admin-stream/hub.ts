import type { adminStream } from '@rolecall/contract'
import { singleFlight } from '#platform/async'
import { DatabaseUnavailable } from '#platform/db/database'
import { isCacheUp } from '#platform/part-state'
import type { Deps } from '../../deps.ts'
import { eventsOf } from './events-of.ts'
import { type Change, lookAfter, type Position, readPresent } from './store.ts'

/** What happens within a second is told together: whoever is told reads anew, and that is what costs. */
const everyMs = 1_000
/** How soon a stream ends after its session: as long as an answer from memory is asked for. */
const checkEveryMs = 250
export const maxStreams = 200
export const maxStreamsPerSession = 4

export interface AdminListener {
  readonly sessionId: string
  take(events: readonly adminStream.AdminEvent[], position: Position): void
  /** Asks whether it may go on, and ends it where it may not. */
  check(): void
  end(): void
}

export interface AdminHub {
  /** True while there is room for another stream. */
  hasRoom(): boolean
  /** Tells the listener everything from the position on that is answered. */
  join(listener: AdminListener): Promise<Position>
  leave(listener: AdminListener): void
  /** Ends all streams; one that is opened later ends at once. */
  close(): void
}

type HubDeps = Pick<Deps, 'db' | 'cache' | 'log' | 'chatFigures'>

/**
 * Reads for all streams of this process what has changed in the database: one statement a second while there is a stream,
 * whatever their number and however much happens. Every instance reads the same, so every stream is told of all.
 */
export function createAdminHub({ db, cache, log, chatFigures }: HubDeps): AdminHub {
  const listeners = new Set<AdminListener>()
  let position: Position | undefined
  /** Of the last look: what is found again with the same mark has been told. */
  let told: ReadonlyMap<string, string> = new Map()
  let health: 'ok' | 'degraded' | undefined
  let isClosed = false
  let isFailing = false

  const tell = (events: readonly adminStream.AdminEvent[], at: Position) => {
    if (events.length > 0) for (const listener of [...listeners]) listener.take(events, at)
  }
  const tellHealth = (now: 'ok' | 'degraded', at: Position) => {
    const before = health
    health = now
    if (before !== undefined && before !== now) tell([{ type: 'health.changed', data: { status: now } }], at)
  }
  const readHealth = async () =>
    (await isCacheUp(cache)) && chatFigures().status === 'up' ? ('ok' as const) : ('degraded' as const)

  const look = async (from: Position) => {
    const found = await lookAfter(db, from)
    isFailing = false
    position = found.position
    const isNew = ({ kind, id, mark }: Change) =>
      kind === 'audit' || kind === 'members' || told.get(`${kind} ${id}`) !== mark
    const changes = found.changes.filter(isNew)
    told = new Map(found.changes.map(({ kind, id, mark }) => [`${kind} ${id}`, mark]))
    tell(eventsOf(changes), found.position)
    tellHealth(await readHealth(), found.position)
  }
  const run = async () => {
    const checking = setInterval(() => {
      for (const listener of [...listeners]) listener.check()
    }, checkEveryMs)
    while (listeners.size > 0 && position) {
      const from = position
      await look(from).catch((error: unknown) => {
        tellHealth('degraded', from)
        // An outage is logged once, by `availability.ts`. What happens meanwhile is told after it.
        if (!isFailing && !(error instanceof DatabaseUnavailable))
          log.error({ err: error }, 'reading what changed failed')
        isFailing = true
      })
      await new Promise((resolve) => setTimeout(resolve, everyMs).unref())
    }
    clearInterval(checking)
    position = undefined
    told = new Map()
    health = undefined
  }
  const start = singleFlight(async () => {
    const present = await readPresent(db)
    // What overlaps with before is known, and not news.
    const { changes } = await lookAfter(db, present)
    told = new Map(changes.map(({ kind, id, mark }) => [`${kind} ${id}`, mark]))
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
