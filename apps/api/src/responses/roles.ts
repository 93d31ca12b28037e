/** A stored role. */
export interface Role {
  readonly id: string
  readonly name: string
  readonly color: number
  readonly position: number
}

/** A role as every response has it. */
export interface HeldRole {
  readonly roleId: string
  readonly roleName: string
  readonly roleColor: number | null
  readonly rolePosition: number | null
}

/** A role that is ready for responses. */
export interface RolePart {
  /** The rank, counted from the highest role. */
  readonly rank: number
  readonly role: HeldRole
  readonly json: string
}

/** The roles of one server, by ID. Replaced as a whole when one changes. */
export type Roles = ReadonlyMap<string, RolePart>

/** Prepares the roles of a server, which are given highest first. */
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

/** Returns the parts of the roles that a member holds, highest first. Unknown roles have been deleted. */
export function partsHeld(roleIds: readonly string[], roles: Roles): RolePart[] {
  const held: RolePart[] = []
  for (const id of new Set(roleIds)) {
    const role = roles.get(id)
    if (role) held.push(role)
  }
  return held.sort((a, b) => a.rank - b.rank)
}

/** Returns the roles that a member holds, highest first. */
export const rolesHeld = (roleIds: readonly string[], roles: Roles): HeldRole[] =>
  partsHeld(roleIds, roles).map(({ role }) => role)
