import type { MirrorDeps } from '../mirror-deps.ts'
import { rolesState } from '../read-roles.ts'

type RolesDeps = Pick<MirrorDeps, 'db' | 'log'> & {
  readonly syncServer: (serverId: string) => Promise<void>
  /** Returns the maximum age of roles that the gateway does not vouch for; a setting. */
  readonly permissionTtlMs: () => number
}

/** Ensures that the names of a member's roles are known and as live as their assignment. */
export type RefreshRoles = (serverId: string, roleIds: readonly string[]) => Promise<void>

/** Reads a server's roles again when one is not known yet or they are old; once however many wait. */
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
    // After a failure the known names stay in use, so that members keep their roles.
    await syncOnce(serverId).catch((error: unknown) =>
      log.debug({ err: error, serverId }, 'role refresh failed'),
    )
  }
}
