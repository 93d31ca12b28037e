import { ChatPlatformError } from '#chat/chat-platform'
import { readTime } from '#platform/db/read-time'
import type { MirrorDeps, MirrorMember, Refreshed, RefreshMember } from '../mirror-deps.ts'

/** The maximum number of simultaneous requests. Further callers use the roles in the mirror. */
const maxRequests = 200
/** If a request takes longer, Discord counts as failing. Only the callers of this request then wait for it. */
const slowAfterMs = 1_000
/** The interval between two attempts after a failure. */
const pauseAfterFailureMs = 1_000
/** A failure counts only for this time after the last attempt. */
const maxFailureAgeMs = 10_000
const tooSlow = `no answer within ${slowAfterMs} ms`

type RefreshDeps = Pick<MirrorDeps, 'db' | 'chat' | 'log'> & { readonly mirrorMember: MirrorMember }

interface MemberRefresher {
  readonly refreshMember: RefreshMember
  /** Reads a member that the mirror does not know. Sends no request while Discord is failing for the server. */
  readonly readUnknownMember: RefreshMember
}

/**
 * Creates the functions that read one member from Discord. Simultaneous callers share a request. While Discord fails or
 * is slow for a server, no caller waits: one request per second tests whether it has recovered. Only requests for
 * members in the mirror are used for that, because callers can invent all other IDs.
 */
export function createMemberRefresher(deps: RefreshDeps): MemberRefresher {
  const requests = new Map<string, Promise<Refreshed>>()
  /** The servers that Discord is failing for, and the time of the next attempt. */
  const failing = new Map<string, number>()

  const recordFailure = (serverId: string, error?: ChatPlatformError) => {
    if (!failing.has(serverId)) {
      deps.log.warn(
        { reason: error?.message ?? tooSlow, serverId },
        'role refresh failed: answering from the mirror',
      )
    }
    failing.set(serverId, performance.now() + pauseAfterFailureMs)
  }
  const read = async (serverId: string, memberId: string) => {
    const requestedAt = await readTime(deps.db)
    const member = await deps.chat.member(serverId, memberId, 'background')
    await deps.mirrorMember(serverId, { id: memberId }, member, requestedAt)
  }
  const refresh = async (serverId: string, memberId: string): Promise<Refreshed> => {
    const slow = setTimeout(recordFailure, slowAfterMs, serverId)
    try {
      await read(serverId, memberId)
      if (failing.delete(serverId)) deps.log.info({ serverId }, 'Discord reachable again')
      return 'fresh'
    } catch (error) {
      if (!(error instanceof ChatPlatformError)) throw error
      recordFailure(serverId, error)
      return 'unavailable'
    } finally {
      clearTimeout(slow)
    }
  }

  const begin = (key: string, serverId: string, memberId: string) => {
    const request = refresh(serverId, memberId).finally(() => requests.delete(key))
    requests.set(key, request)
    return request
  }
  /** Starts a request that tests whether Discord has recovered. The caller does not wait for it. */
  const probe = (key: string, serverId: string, memberId: string) => {
    failing.set(serverId, performance.now() + pauseAfterFailureMs)
    if (requests.size < maxRequests && !requests.has(key)) {
      begin(key, serverId, memberId).catch((error: unknown) =>
        deps.log.debug({ err: error, serverId }, 'member refresh failed'),
      )
    }
  }

  const refreshMember: RefreshMember = (serverId, memberId) => {
    const key = `${serverId}:${memberId}`
    const probeAt = failing.get(serverId)
    // The failure is too old to say anything about Discord now.
    if (probeAt !== undefined && performance.now() > probeAt + maxFailureAgeMs) failing.delete(serverId)
    else if (probeAt !== undefined) {
      if (performance.now() >= probeAt) probe(key, serverId, memberId)
      return Promise.resolve('unavailable')
    }
    const running = requests.get(key)
    if (running) return running
    if (requests.size >= maxRequests) return Promise.resolve('unavailable')
    return begin(key, serverId, memberId)
  }
  const readUnknownMember: RefreshMember = async (serverId, memberId) => {
    if (failing.has(serverId)) return 'unavailable'
    try {
      await read(serverId, memberId)
      return 'fresh'
    } catch (error) {
      if (!(error instanceof ChatPlatformError)) throw error
      return 'unavailable'
    }
  }
  return { refreshMember, readUnknownMember }
}
