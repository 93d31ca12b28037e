import { setTimeout as sleep } from 'node:timers/promises'
import { chatPlatformUnavailable } from '#platform/http/problem'
import type { Deps } from '../../deps.ts'
import { findMember, type KnownMember } from './store.ts'

/** As validate: the longest wait for the platform, and the oldest mirror that is served without it. */
const longestWaitMs = 2_000
const oldestMirrorMs = 24 * 60 * 60 * 1000

type MemberDeps = Pick<Deps, 'db' | 'settings' | 'readForProject'>

/** Whom a project asks about. */
interface Asked {
  readonly projectId: string
  readonly serverId: string
  readonly memberId: string
}

/**
 * A member of a server with roles as live as validate's; undefined for someone who is none. The mirror knows
 * who logged in, who was synced and who the gateway told of; of anyone else only the platform can say whether
 * they are a member.
 * @throws CHAT_PLATFORM_UNAVAILABLE when it does not say, and what is known is too little or too old
 */
export async function liveMember(deps: MemberDeps, asked: Asked) {
  const { serverId, memberId } = asked
  const read = () => findMember(deps.db, serverId, memberId)
  const known = await read()
  if (known && isFresh(deps, known)) return current(known)
  const refreshed = await Promise.race([
    deps.readForProject(asked, known !== undefined),
    sleep(longestWaitMs),
  ])
  if (refreshed === 'fresh') return current(await read())
  if (!known || known.ageMs > oldestMirrorMs) throw chatPlatformUnavailable()
  return current(known)
}

const isFresh = ({ settings }: MemberDeps, { isLive, ageMs }: KnownMember) => {
  const { permissionTtlMs } = settings.current()
  return isLive || (permissionTtlMs > 0 && ageMs <= permissionTtlMs)
}

const current = (known: KnownMember | undefined) => (known?.isCurrent ? known : undefined)
