import { chatPlatformUnavailable } from '#platform/http/problem'
import type { Deps } from '../../deps.ts'
import { findMember } from './store.ts'

const oldestMirrorMs = 24 * 60 * 60 * 1000

/**
 * A member of a server with roles as live as validate's; undefined when there is none.
 * @throws CHAT_PLATFORM_UNAVAILABLE when what is known is too old to rely on
 */
export async function liveMember(
  { db, settings, refreshMember }: Pick<Deps, 'db' | 'settings' | 'refreshMember'>,
  serverId: string,
  memberId: string,
) {
  const known = await findMember(db, serverId, memberId)
  const { permissionTtlMs } = settings.current()
  // Whoever is not known here is not asked about there: the mirror is what a project may see.
  if (!known || known.isLive || (permissionTtlMs > 0 && known.ageMs <= permissionTtlMs)) return known
  if ((await refreshMember(serverId, memberId)) === 'fresh') return findMember(db, serverId, memberId)
  if (known.ageMs > oldestMirrorMs) throw chatPlatformUnavailable()
  return known
}
