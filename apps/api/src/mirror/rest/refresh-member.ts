import { ChatPlatformError } from '#chat/chat-platform'
import { readTime } from '#platform/db/read-time'
import type { MirrorDeps, MirrorMember, Refreshed, RefreshMember } from '../mirror-deps.ts'

/** The maximum number of concurrent refreshes; further callers are answered from the mirror. */
const maxInFlight = 200
/** Only the callers that requested a slower response wait for it. */
const slowAfterMs = 1_000
/** The interval between attempts after a failure of the platform. */
const pauseAfterFailureMs = 1_000
const forgottenAfterMs = 10_000
const tooSlow = `no answer within ${slowAfterMs} ms`

type RefreshDeps = Pick<MirrorDeps, 'db' | 'chat' | 'log'> & { readonly mirrorMember: MirrorMember }

interface MemberRefresher {
  readonly refreshMember: RefreshMember
  /** Reads a member that the mirror does not know; not while the platform fails to answer for the server. */
  readonly readStranger: RefreshMember
}

/**
 * Reads one member again, once for any number of waiting callers. While the platform does not answer for a server,
 * or only slowly, no caller waits for it: one request a second detects its return. Only members in the mirror are
 * used for that, because other IDs can be made up.
 */
export function createMemberRefresher(deps: RefreshDeps): MemberRefresher {
  const flights = new Map<string, Promise<Refreshed>>()
  /** The servers that the platform does not answer for, with the time of the next attempt. */
  const failing = new Map<string, number>()

  const noteTrouble = (serverId: string, error?: ChatPlatformError) => {
    if (!failing.has(serverId)) {
      deps.log.warn(
        { reason: error?.message ?? tooSlow, serverId },
        'role refresh failed: answering from the mirror',
      )
    }
    failing.set(serverId, performance.now() + pauseAfterFailureMs)
  }
  const read = async (serverId: string, memberId: string) => {
    const askedAt = await readTime(deps.db)
    const member = await deps.chat.member(serverId, memberId, 'background')
    await deps.mirrorMember(serverId, { id: memberId }, member, askedAt)
  }
  const refresh = async (serverId: string, memberId: string): Promise<Refreshed> => {
    const slow = setTimeout(noteTrouble, slowAfterMs, serverId)
    try {
      await read(serverId, memberId)
      if (failing.delete(serverId)) deps.log.info({ serverId }, 'chat platform reachable again')
      return 'fresh'
    } catch (error) {
      if (!(error instanceof ChatPlatformError)) throw error
      noteTrouble(serverId, error)
      return 'unavailable'
    } finally {
      clearTimeout(slow)
    }
  }

  const begin = (key: string, serverId: string, memberId: string) => {
    const flight = refresh(serverId, memberId).finally(() => flights.delete(key))
    flights.set(key, flight)
    return flight
  }
  /** Tests if the platform has recovered, while the caller continues without it. */
  const probe = (key: string, serverId: string, memberId: string) => {
    failing.set(serverId, performance.now() + pauseAfterFailureMs)
    if (flights.size < maxInFlight && !flights.has(key)) {
      begin(key, serverId, memberId).catch((error: unknown) =>
        deps.log.debug({ err: error, serverId }, 'member refresh failed'),
      )
    }
  }

  const refreshMember: RefreshMember = (serverId, memberId) => {
    const key = `${serverId}:${memberId}`
    const probeAt = failing.get(serverId)
    // The last request was long ago: the earlier failure no longer says anything.
    if (probeAt !== undefined && performance.now() > probeAt + forgottenAfterMs) failing.delete(serverId)
    else if (probeAt !== undefined) {
      if (performance.now() >= probeAt) probe(key, serverId, memberId)
      return Promise.resolve('unavailable')
    }
    const running = flights.get(key)
    if (running) return running
    if (flights.size >= maxInFlight) return Promise.resolve('unavailable')
    return begin(key, serverId, memberId)
  }
  const readStranger: RefreshMember = async (serverId, memberId) => {
    if (failing.has(serverId)) return 'unavailable'
    try {
      await read(serverId, memberId)
      return 'fresh'
    } catch (error) {
      if (!(error instanceof ChatPlatformError)) throw error
      return 'unavailable'
    }
  }
  return { refreshMember, readStranger }
}
