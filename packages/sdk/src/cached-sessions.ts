import type { EventData } from './contract-types.ts'
import { createEventStream } from './event-stream.ts'
import type { OpenStream } from './open-stream.ts'
import { type CacheOptions, createSessionCache, keyOf } from './session-cache.ts'
import { createWatchers } from './watchers.ts'

interface Connection {
  readonly baseUrl: string
  readonly headers: Record<string, string>
  readonly openStream: OpenStream
}

/** The session cache of a client, kept current by the service's events. */
export type CachedSessions = ReturnType<typeof createCachedSessions>

/**
 * Creates the session cache of a client, and the event stream that keeps it current. Each event evicts the sessions
 * that it concerns, and notifies their watchers. Opens no connection before the first use.
 */
export function createCachedSessions({ baseUrl, headers, openStream }: Connection, options: CacheOptions) {
  const stream = createEventStream({
    open: (query, lastId, signal) =>
      openStream(`${baseUrl}/api/events?${query}`, {
        headers: { accept: 'text/event-stream', ...headers, ...(lastId && { 'last-event-id': lastId }) },
        signal,
      }),
    onEvent: (type, data) => apply(type as keyof EventData, data),
    onGap: () => evictAll(),
  })
  const cache = createSessionCache(stream, options)
  const watchers = createWatchers()
  const evict = (key: string) => {
    cache.evict(key)
    watchers.notify(key)
  }
  const evictAll = () => {
    cache.evictAll()
    watchers.notifyAll()
  }
  const apply = (
    type: keyof EventData,
    { sessionId = '', memberId = '', serverId = '' }: Record<string, string>,
  ) => {
    if (type === 'session.revoked' || type === 'session.rotated') evict(keyOf.session(sessionId))
    else if (type === 'member.roles_changed' || type === 'member.left')
      evict(keyOf.membership(memberId, serverId))
    // Any other event evicts everything, including event types of a newer service that this version does not know.
    else evictAll()
  }
  return { find: cache.find, load: cache.load, evict, watch: watchers.add, close: stream.close }
}
