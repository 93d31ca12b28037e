import { ChatPlatformError } from '#chat/chat-platform'
import { readTime } from '#platform/db/read-time'
import type { Deps, Refreshed, RefreshMember } from '../../deps.ts'

/** More members than this wait for the platform only by being served from the mirror. */
const maxInFlight = 200
/** After a failure one call at a time tries the platform again, this often. */
const pauseAfterFailureMs = 1_000

type RefreshDeps = Pick<Deps, 'db' | 'chat' | 'log' | 'mirrorMember'>

/**
 * Reads one member again, once however many callers wait. While the platform does not answer for a
 * server, nobody waits for it: one call at a time finds out whether it is back.
 */
export function createMemberRefresher(deps: RefreshDeps): RefreshMember {
  const flights = new Map<string, Promise<Refreshed>>()
  /** Servers that the platform does not answer for, and when to try again. */
  const failing = new Map<string, number>()

  const refresh = async (serverId: string, memberId: string): Promise<Refreshed> => {
    try {
      const askedAt = await readTime(deps.db)
      const member = await deps.chat.member(serverId, memberId, 'background')
      await deps.mirrorMember(serverId, { id: memberId }, member, askedAt)
      if (failing.delete(serverId)) deps.log.info({ serverId }, 'the chat platform answers again')
      return 'fresh'
    } catch (error) {
      if (!(error instanceof ChatPlatformError)) throw error
      if (!failing.has(serverId)) {
        deps.log.warn({ err: error, serverId }, 'roles cannot be refreshed; serving the mirror')
      }
      failing.set(serverId, performance.now() + pauseAfterFailureMs)
      return 'unavailable'
    }
  }

  return (serverId, memberId) => {
    const key = `${serverId}:${memberId}`
    const running = flights.get(key)
    if (running) return running
    if (flights.size >= maxInFlight) return Promise.resolve('unavailable')
    const probeAt = failing.get(serverId)
    if (probeAt !== undefined) {
      if (performance.now() < probeAt) return Promise.resolve('unavailable')
      // This call is the probe; nobody else tries until it knows.
      failing.set(serverId, Number.POSITIVE_INFINITY)
    }
    const flight = refresh(serverId, memberId).finally(() => {
      flights.delete(key)
      if (failing.get(serverId) === Number.POSITIVE_INFINITY) failing.set(serverId, 0)
    })
    flights.set(key, flight)
    return flight
  }
}
