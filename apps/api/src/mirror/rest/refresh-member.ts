import { ChatPlatformError } from '#chat/chat-platform'
import { readTime } from '#platform/db/read-time'
import type { MirrorDeps, MirrorMember, Refreshed, RefreshMember } from '../mirror-deps.ts'

/** At most so many concurrent refreshes; further callers are answered from the mirror. */
const maxInFlight = 200
/** An answer that takes longer is waited for by those who asked, and by nobody else. */
const slowAfterMs = 1_000
/** After a failure the platform is tried again this often. */
const pauseAfterFailureMs = 1_000
const forgottenAfterMs = 10_000

type RefreshDeps = Pick<MirrorDeps, 'db' | 'chat' | 'log'> & { readonly mirrorMember: MirrorMember }

interface MemberRefresher {
  readonly refreshMember: RefreshMember
  /** Reads someone whom the mirror does not know; not while the platform does not answer for the server. */
  readonly readStranger: RefreshMember
}

/**
 * Reads one member again, once however many callers wait. While the platform does not answer for a
 * server, or only slowly, nobody waits for it: one question a second finds out whether it is back. That is found out
 * with members whom the mirror knows, and with nobody else: ids can be made up.
 */
export function createMemberRefresher(deps: RefreshDeps): MemberRefresher {
  const flights = new Map<string, Promise<Refreshed>>()
  /** Servers that the platform does not answer for, and when to try again. */
  const failing = new Map<string, number>()

  const noteTrouble = (serverId: string, error?: ChatPlatformError) => {
    if (!failing.has(serverId)) {
      deps.log.warn({ err: error, serverId }, 'roles cannot be refreshed in time; serving the mirror')
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
      if (failing.delete(serverId)) deps.log.info({ serverId }, 'the chat platform answers again')
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
  /** Finds out whether the platform is back, while its caller goes on without it. */
  const probe = (key: string, serverId: string, memberId: string) => {
    failing.set(serverId, performance.now() + pauseAfterFailureMs)
    if (flights.size < maxInFlight && !flights.has(key)) {
      begin(key, serverId, memberId).catch((error: unknown) =>
        deps.log.debug({ err: error, serverId }, 'a member could not be refreshed'),
      )
    }
  }

  const refreshMember: RefreshMember = (serverId, memberId) => {
    const key = `${serverId}:${memberId}`
    const probeAt = failing.get(serverId)
    // Nobody has asked for long: what was known of the platform then says nothing now.
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
