/** A role as it is stored. */
export interface Role {
  readonly id: string
  readonly name: string
  readonly color: number
  readonly position: number
}

/** A role as it appears in every response. */
export interface HeldRole {
  readonly roleId: string
  readonly roleName: string
  readonly roleColor: number | null
  readonly rolePosition: number | null
}

/** A role, prepared for responses. */
export interface RolePart {
  /** The position among the server's roles: 0 is the highest. */
  readonly rank: number
  readonly role: HeldRole
  readonly json: string
}

/**
 * The roles of one server, by ID. When a role changes, the whole map is replaced, so that comparing references detects
 * the change.
 */
export type Roles = ReadonlyMap<string, RolePart>

/** Prepares the roles of a server. The argument must be sorted by position, highest first. */
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

/**
 * Returns the prepared roles that a member holds, highest first. Leaves out IDs that the server does not know: these
 * roles have been deleted.
 */
export function partsHeld(roleIds: readonly string[], roles: Roles): RolePart[] {
  const held: RolePart[] = []
  for (const id of new Set(roleIds)) {
    const role = roles.get(id)
    if (role) held.push(role)
  }
  return held.sort((a, b) => a.rank - b.rank)
}

/** Returns prepared roles as a JSON array. */
export const jsonOfRoles = (parts: readonly RolePart[]): string =>
  `[${parts.map(({ json }) => json).join(',')}]`

/** Returns the roles that a member holds, highest first, without deleted ones. */
export const rolesHeld = (roleIds: readonly string[], roles: Roles): HeldRole[] =>
  partsHeld(roleIds, roles).map(({ role }) => role)

/** The roles that a member holds, highest first, and the same as JSON. */
export class HeldRoles {
  readonly roles: readonly HeldRole[]
  readonly json: string
  #encoded: Buffer | undefined

  constructor(parts: readonly RolePart[]) {
    this.roles = parts.map(({ role }) => role)
    this.json = jsonOfRoles(parts)
  }

  /** The JSON in UTF-8. It is encoded once, for responses with the roles of many members. */
  get encoded(): Buffer {
    this.#encoded ??= Buffer.from(this.json)
    return this.#encoded
  }
}

/** The combinations of roles that were requested, by the IDs of the roles. */
interface Combinations {
  readonly held: Map<string, HeldRoles>
  /** The length of all IDs and texts in characters. */
  length: number
}

/** The maximum length of the cached combinations of a server, in characters. At the limit, all of them are evicted. */
const maxLength = 4_000_000

/** The combinations of each server. They are dropped together with the roles of their server. */
const combinations = new WeakMap<Roles, Combinations>()

/**
 * Returns the roles that a member holds as objects and as JSON. Members with the same roles share the result, because a
 * server has far fewer combinations of roles than members.
 */
export function heldWithJson(roleIds: readonly string[], roles: Roles): HeldRoles {
  const key = roleIds.join()
  const before = combinations.get(roles)
  const cached = before?.held.get(key)
  if (cached) return cached
  const held = new HeldRoles(partsHeld(roleIds, roles))
  const length = key.length + held.json.length
  const kept = before && before.length + length <= maxLength ? before : { held: new Map(), length: 0 }
  kept.held.set(key, held)
  kept.length += length
  combinations.set(roles, kept)
  return held
}
