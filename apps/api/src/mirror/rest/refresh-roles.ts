import type { MirrorDeps } from '../mirror-deps.ts'
import { rolesState } from '../read-roles.ts'

type RolesDeps = Pick<MirrorDeps, 'db' | 'log'> & {
  readonly syncServer: (serverId: string) => Promise<void>
  /** Returns the maximum age of roles that the gateway does not vouch for; a setting. */
  readonly permissionTtlMs: () => number
}

/** Ensures that a server's roles are fresh enough, and include these. */
export type RefreshRoles = (serverId: string, roleIds: readonly string[]) => Promise<void>

/**
 * Creates a function that reads a server's roles again if one is unknown or they are old. Concurrent callers share a
 * read.
 */
export function createRolesRefresher({ db, log, permissionTtlMs, syncServer }: RolesDeps): RefreshRoles {
  const syncs = new Map<string, Promise<void>>()

  const syncOnce = (serverId: string) => {
    const running = syncs.get(serverId) ?? syncServer(serverId).finally(() => syncs.delete(serverId))
    syncs.set(serverId, running)
    return running
  }
  return async (serverId, roleIds) => {
    const state = await rolesState(db, serverId, roleIds)
    if (!state) return
    if (state.complete && state.ageMs !== null && state.ageMs <= permissionTtlMs()) return
    // After a failure the stored roles stay in use, so that members keep their roles.
    await syncOnce(serverId).catch((error: unknown) =>
      log.debug({ err: error, serverId }, 'role refresh failed'),
    )
  }
}
