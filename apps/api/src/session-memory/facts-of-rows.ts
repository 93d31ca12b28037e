import { type Roles, toRoles } from '#responses/roles'
import { createUnsharedFact } from './facts.ts'
import type { FactRows, Item, SessionRow } from './facts-store.ts'
import { type MemberFact, type MembershipFact, type ServerFact, Session } from './session.ts'

/** The result for one item of a read. */
export interface Read {
  /** The database's time at the read, or slightly later. */
  readonly nowMs: number
  readonly projectId: string | undefined
  readonly isActive: boolean
  readonly session: Session | undefined
}

/** Converts the rows of a read, without caching them. */
export function readUncached(items: readonly Item[], { nowMs, items: rows, roles }: FactRows): Read[] {
  return rows.map(({ projectId, isActive, session: row }, i) => {
    const session =
      row &&
      new Session((items[i] as Item).tokenDigest, row, {
        member: createUnsharedFact(row.memberId, toMemberFact(row)),
        membership: createUnsharedFact(row.memberId, toMembershipFact(row)),
        server: createUnsharedFact(row.serverId, toServerFact(row, toRoles(roles.get(row.serverId) ?? []))),
        project: undefined,
        access: undefined,
        groups: createUnsharedFact(row.projectId ?? '', row.groups),
      })
    return { nowMs, projectId, isActive, session }
  })
}

export const toMemberFact = ({ username, profileJson, isClubMember }: SessionRow): MemberFact => ({
  username,
  profileJson,
  isClubMember,
})
export const toMembershipFact = ({ nick, roleIds, syncedAtMs }: SessionRow): MembershipFact => ({
  nick,
  roleIds,
  syncedAtMs,
})
export const toServerFact = (
  { decidesAdmin, liveAsOfMs, liveUntilMs }: SessionRow,
  roles: Roles,
): ServerFact => ({ decidesAdmin, roles, liveAsOfMs, liveUntilMs: liveUntilMs ?? 0 })
