import type { Deps } from '../../deps.ts'
import { rolesState } from '../write-members.ts'

type RolesDeps = Pick<Deps, 'db' | 'log' | 'settings'> & {
  syncServer: (serverId: string) => Promise<void>
}

/** Sees to it that the names of the roles which someone holds are known and as live as the holding. */
export type RefreshRoles = (serverId: string, roleIds: readonly string[]) => Promise<void>

/** Reads a server's roles again when one is not known yet or they are old; once however many wait. */
export function createRolesRefresher({ db, log, settings, syncServer }: RolesDeps): RefreshRoles {
  const syncs = new Map<string, Promise<void>>()

  const syncOnce = (serverId: string) => {
    const running = syncs.get(serverId) ?? syncServer(serverId).finally(() => syncs.delete(serverId))
    syncs.set(serverId, running)
    return running
  }
  return async (serverId, roleIds) => {
    const state = await rolesState(db, serverId, roleIds)
    if (!state) return
    const { permissionTtlMs } = settings.current()
    if (state.complete && state.ageMs !== null && state.ageMs <= permissionTtlMs) return
    // Known names are better than none: a failure here costs no one the roles that they hold.
    await syncOnce(serverId).catch((error: unknown) =>
      log.debug({ err: error, serverId }, 'roles not refreshed'),
    )
  }
}
