import type { Role } from './change.ts'

/** The roles of one server, by id. Replaced as a whole when one changes. */
export type Roles = ReadonlyMap<string, RolePart>

interface RolePart {
  /** From the highest role on. */
  readonly rank: number
  /** The role as every answer has it. */
  readonly json: string
}

/** Highest first, as they are given. */
export const toRoles = (roles: readonly Role[]): Roles =>
  new Map(
    roles.map(({ id, name, color, position }, rank) => [
      id,
      {
        rank,
        json: JSON.stringify({
          roleId: id,
          roleName: name,
          roleColor: color === 0 ? null : color,
          rolePosition: position,
        }),
      },
    ]),
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
    `"displayName":${JSON.stringify(nick)}},"roles":[${heldRoles(roleIds, roles)}]`
  )
}

function heldRoles(roleIds: readonly string[], roles: Roles): string {
  const held: RolePart[] = []
  for (const id of new Set(roleIds)) {
    const role = roles.get(id)
    if (role) held.push(role)
  }
  held.sort((a, b) => a.rank - b.rank)
  return held.map(({ json }) => json).join(',')
}
