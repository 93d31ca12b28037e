import { setTimeout as sleep } from 'node:timers/promises'
import { chatPlatformUnavailable } from '#platform/http/problem'
import type { Deps } from '../../deps.ts'
import { findMembership, type MembershipRow } from './store.ts'

/** As validate: the longest wait for the platform, and the oldest mirror that is served without it. */
const longestWaitMs = 2_000
const oldestMirrorMs = 24 * 60 * 60 * 1000

type MemberDeps = Pick<Deps, 'db' | 'settings' | 'refreshMember'>

/**
 * One member of a server as fresh as validate would have it, or undefined for someone who is none. Who is not
 * in the mirror may have joined a moment ago: only the platform can say, so without it there is no answer.
 */
export async function currentMember(
  deps: MemberDeps,
  { projectId, serverId, memberId }: { projectId: string; serverId: string; memberId: string },
): Promise<MembershipRow | undefined> {
  const read = () => findMembership(deps.db, projectId, serverId, memberId)
  const known = await read()
  if (known && isFresh(deps, known)) return current(known)
  const refreshed = await Promise.race([deps.refreshMember(serverId, memberId), sleep(longestWaitMs)])
  if (refreshed === 'fresh') return current(await read())
  if (!known || known.ageMs > oldestMirrorMs) throw chatPlatformUnavailable()
  return current(known)
}

const isFresh = ({ settings }: MemberDeps, { isLive, ageMs }: MembershipRow) => {
  const { permissionTtlMs } = settings.current()
  return isLive || (permissionTtlMs > 0 && ageMs <= permissionTtlMs)
}

const current = (row: MembershipRow | undefined) => (row?.isCurrent ? row : undefined)
