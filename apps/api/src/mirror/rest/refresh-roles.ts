import type { MirrorDeps } from '../mirror-deps.ts'
import { rolesState } from '../read-roles.ts'

type RolesDeps = Pick<MirrorDeps, 'db' | 'log'> & {
  readonly syncServer: (serverId: string) => Promise<void>
  /** Returns the maximum age of roles that the gateway does not keep current. Administrators can change it. */
  readonly permissionTtlMs: () => number
}

/** Makes sure that the mirror knows these roles of a server, and that they are not too old. */
export type RefreshRoles = (serverId: string, roleIds: readonly string[]) => Promise<void>

/**
 * Creates the function that reads a server's roles again if one of them is unknown, or if they are too old.
 * Simultaneous callers share a read.
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
    // After a failure, the stored roles are used, so that members do not lose them.
    await syncOnce(serverId).catch((error: unknown) =>
      log.debug({ err: error, serverId }, 'role refresh failed'),
    )
  }
}
