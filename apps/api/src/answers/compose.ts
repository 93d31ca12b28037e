import type { Role } from './change.ts'

/** The roles of one server, by id. Replaced as a whole when one changes. */
export type Roles = ReadonlyMap<string, RolePart>

/** A role as every answer has it. */
export interface HeldRole {
  readonly roleId: string
  readonly roleName: string
  readonly roleColor: number | null
  readonly rolePosition: number | null
}

interface RolePart {
  /** From the highest role on. */
  readonly rank: number
  readonly role: HeldRole
  readonly json: string
}

/** Highest first, as they are given. */
export const toRoles = (roles: readonly Role[]): Roles =>
  new Map(
    roles.map(({ id, name, color, position }, rank) => {
      const role = {
        roleId: id,
        roleName: name,
        roleColor: color === 0 ? null : color,
        rolePosition: position,
      }
      return [id, { rank, role, json: JSON.stringify(role) }]
    }),
  )

export interface MemberParts {
  readonly profileJson: string
  readonly isClubMember: boolean
  readonly syncedAtMs: number
  readonly nick: string | null
  readonly roleIds: readonly string[]
}

/** The fields `member` and `roles` of an answer. Roles that are not known do not exist any more. */
export function composeMember(
  { profileJson, isClubMember, syncedAtMs, nick, roleIds }: MemberParts,
  roles: Roles,
): string {
  const syncedAt = new Date(syncedAtMs).toISOString()
  return (
    `"member":{${profileJson},"isClubMember":${isClubMember},"syncedAt":"${syncedAt}",` +
    `"displayName":${JSON.stringify(nick)}},"roles":[${partsHeld(roleIds, roles)
      .map(({ json }) => json)
      .join(',')}]`
  )
}

/** The roles that a member holds, highest first. */
export const rolesHeld = (roleIds: readonly string[], roles: Roles): HeldRole[] =>
  partsHeld(roleIds, roles).map(({ role }) => role)

function partsHeld(roleIds: readonly string[], roles: Roles): RolePart[] {
  const held: RolePart[] = []
  for (const id of new Set(roleIds)) {
    const role = roles.get(id)
    if (role) held.push(role)
  }
  return held.sort((a, b) => a.rank - b.rank)
}
