import { setTimeout as sleep } from 'node:timers/promises'
import { type ChatMember, type ChatPlatform, ChatPlatformError } from '#chat/chat-platform'
import { DatabaseUnavailable } from '#platform/db/database'
import { readTime } from '#platform/db/read-time'
import type { MirrorDeps } from '../mirror-deps.ts'
import { mirrorMember } from '../mirror-member.ts'
import { findMirrored, listToSample, type MirroredMembership } from './samples-store.ts'

/** The longest delay of an event after a response of Discord that already contains its change. */
const maxEventDelayMs = 2_000
/** The shortest interval at which mismatches cause a server to be read again. */
const minRereadIntervalMs = 10 * 60_000
/** The maximum number of requests of this instance in the last second. With more, no members are compared. */
const maxBusy = 3
/** The number of members that are loaded at a time. */
const stretchSize = 200

/** The results of all comparisons since this instance became the leader. */
export interface SampleCounts {
  readonly compared: number
  /** The number of members that differed although no event reported a change. */
  readonly wrong: number
}

interface SampleDeps extends Pick<MirrorDeps, 'db' | 'log' | 'audit' | 'endSessions'> {
  readonly chat: Pick<ChatPlatform, 'member' | 'budget'>
  /** Returns the servers that were read completely. */
  readonly complete: () => readonly string[]
  readonly waitUntilWritten: (serverId: string, signal: AbortSignal) => Promise<boolean>
  /** Called if a server must be read again. */
  readonly invalidateServer: (serverId: string) => void
}

/**
 * Creates the task that compares single members with Discord, while few other requests go there. Discord may lose an
 * event without a gap in the sequence numbers, and nothing else would notice that.
 */
export function createSamples(deps: SampleDeps, everyMs: number) {
  const { db, log, chat } = deps
  const closing = new AbortController()
  const counts = { compared: 0, wrong: 0 }
  const rereadAt = new Map<string, number>()
  let place: { serverId: string; after: string } | undefined
  let due: { serverId: string; memberId: string }[] = []

  const isIdle = () => {
    const { remaining, perSecond, open } = chat.budget()
    return open.length === 0 && remaining >= perSecond - maxBusy
  }
  /** Loads the next members: of the current server, or of the next one after its last member. */
  const loadNext = async () => {
    const servers = [...deps.complete()].sort()
    const serverId = servers.find((id) => id >= (place?.serverId ?? '')) ?? servers[0]
    if (serverId === undefined) return
    const after = place?.serverId === serverId ? place.after : '0'
    const { memberIds, last } = await listToSample(db, { serverId, after, size: stretchSize })
    due = memberIds.map((memberId) => ({ serverId, memberId }))
    const next = servers.find((id) => id > serverId) ?? servers[0] ?? ''
    place = last === undefined ? { serverId: next, after: '0' } : { serverId, after: last }
  }
  const sample = async ({ serverId, memberId }: { serverId: string; memberId: string }) => {
    const requestedAt = await readTime(db)
    const member = await chat.member(serverId, memberId, 'background')
    counts.compared += 1
    const isCurrent = async () => {
      const mirrored = await findMirrored(db, serverId, memberId)
      // If an event came after the request, the mirror is newer than the response.
      return !mirrored || mirrored.syncedAt > requestedAt || isSame(mirrored, member)
    }
    if (!(await isCurrent())) {
      await sleep(maxEventDelayMs, undefined, { signal: closing.signal })
      await deps.waitUntilWritten(serverId, closing.signal)
      if (!(await isCurrent())) recordMismatch(serverId)
    }
    await mirrorMember(deps, serverId, member?.user ?? { id: memberId }, member, requestedAt)
  }
  const recordMismatch = (serverId: string) => {
    counts.wrong += 1
    const readAt = rereadAt.get(serverId) ?? Number.NEGATIVE_INFINITY
    if (performance.now() - readAt < minRereadIntervalMs) return
    rereadAt.set(serverId, performance.now())
    log.warn({ serverId }, 'gateway missed a change: reading all members of the server again')
    deps.invalidateServer(serverId)
  }
  const run = async () => {
    while (!closing.signal.aborted) {
      await sleep(everyMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
      if (closing.signal.aborted) return
      if (!isIdle()) continue
      let next: { serverId: string; memberId: string } | undefined
      try {
        if (due.length === 0) await loadNext()
        next = due.shift()
        if (next && deps.complete().includes(next.serverId)) await sample(next)
      } catch (error) {
        if (closing.signal.aborted) return
        if (error instanceof ChatPlatformError || error instanceof DatabaseUnavailable) continue
        log.error({ err: error, ...next }, 'member sample failed: internal error')
      }
    }
  }
  const running = run()

  return {
    counts: (): SampleCounts => counts,
    async close() {
      closing.abort()
      await running
    },
  }
}

const isSame = (mirrored: MirroredMembership, member: ChatMember | undefined): boolean =>
  member !== undefined &&
  !mirrored.hasLeft &&
  mirrored.nick === member.nick &&
  mirrored.pending === member.pending &&
  [mirrored.roleIds, mirrored.knownRoleIds].some((ids) => isSameSet(ids, member.roleIds))

const isSameSet = (some: readonly string[], others: readonly string[]): boolean =>
  [...some].sort().join() === [...others].sort().join()
