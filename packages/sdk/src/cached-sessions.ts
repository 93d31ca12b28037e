import type { EventData } from './contract-types.ts'
import { createEventStream } from './event-stream.ts'
import type { OpenStream } from './open-stream.ts'
import { type CacheOptions, createSessionCache, keyOf } from './session-cache.ts'

interface Connection {
  readonly baseUrl: string
  readonly headers: Record<string, string>
  readonly openStream: OpenStream
}

export type CachedSessions = ReturnType<typeof createCachedSessions>

/** The cache of sessions, with the stream of events that keeps it true. Opens nothing until it is used. */
export function createCachedSessions({ baseUrl, headers, openStream }: Connection, options: CacheOptions) {
  const stream = createEventStream({
    open: (query, lastId, signal) =>
      openStream(`${baseUrl}/api/events?${query}`, {
        headers: { accept: 'text/event-stream', ...headers, ...(lastId && { 'last-event-id': lastId }) },
        signal,
      }),
    onEvent: (type, data) => apply(type as keyof EventData, data),
    onGap: () => cache.forgetAll(),
  })
  const cache = createSessionCache(stream, options)
  const apply = (
    type: keyof EventData,
    { sessionId = '', memberId = '', serverId = '' }: Record<string, string>,
  ) => {
    if (type === 'session.revoked' || type === 'session.rotated') cache.forget(keyOf.session(sessionId))
    else if (type === 'member.roles_changed' || type === 'member.left')
      cache.forget(keyOf.membership(memberId, serverId))
    // Also whatever a newer service tells that this version does not know.
    else cache.forgetAll()
  }
  return { find: cache.find, load: cache.load, forget: cache.forget, close: stream.close }
}
