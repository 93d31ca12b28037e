import { type FieldsOf, fieldsOf, pickFields } from '@rolecall/contract'
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

type ProfileField = Exclude<keyof FieldsOf<'session'>, 'displayName'>

/** Fields of a member that are the same in every server, in the order of the response. */
export const profileFields = fieldsOf('session').filter(
  (name): name is ProfileField => name !== 'displayName',
)

/** The stored part of a profile. */
export interface Profile extends Omit<FieldsOf<'session'>, 'displayName' | 'joinedAt'> {
  readonly id: string
  readonly createdAtMs: number
  readonly updatedAtMs: number
}

/** The beginning of the field `member`, made once for as long as none of it changes. */
export const finishedProfile = (profile: Profile): string =>
  JSON.stringify({
    id: profile.id,
    ...pickFields(profileFields, { ...profile, joinedAt: iso(msOfSnowflake(profile.id)) }),
    createdAt: iso(profile.createdAtMs),
    updatedAt: iso(profile.updatedAtMs),
  }).slice(1, -1)

/** The first 42 bits of an id of the platform are the milliseconds since 2015. */
const msOfSnowflake = (id: string) => Number(BigInt(id) >> 22n) + 1_420_070_400_000

/** `toISOString` at once: `JSON.stringify` takes twice as long over a Date. */
const iso = (ms: number) => new Date(ms).toISOString()

export interface SessionParts {
  readonly id: string
  readonly serverId: string
  readonly createdAtMs: number
  readonly expiresAtMs: number
}

/** The field `session` of an answer. Neither id has a character that JSON escapes. */
export const finishedSession = ({ id, serverId, createdAtMs, expiresAtMs }: SessionParts): string =>
  `"session":{"id":"${id}","serverId":"${serverId}",` +
  `"createdAt":"${iso(createdAtMs)}","expiresAt":"${iso(expiresAtMs)}"}`

export interface MemberParts {
  readonly profileJson: string
  readonly isClubMember: boolean
  readonly syncedAtMs: number
  readonly nick: string | null
}

/** The fields `member` and `roles` of an answer, with the roles that the member holds. */
export function composeMember(
  { profileJson, isClubMember, syncedAtMs, nick }: MemberParts,
  held: readonly RolePart[],
): string {
  return (
    `"member":{${profileJson},"isClubMember":${isClubMember},"syncedAt":"${iso(syncedAtMs)}",` +
    `"displayName":${JSON.stringify(nick)}},"roles":[${held.map(({ json }) => json).join(',')}]`
  )
}

/** The roles that a member holds, highest first. */
export const rolesHeld = (roleIds: readonly string[], roles: Roles): HeldRole[] =>
  partsHeld(roleIds, roles).map(({ role }) => role)

/** Returns the parts of the roles that a member holds, highest first. Roles that are not known do not exist any more. */
export function partsHeld(roleIds: readonly string[], roles: Roles): RolePart[] {
  const held: RolePart[] = []
  for (const id of new Set(roleIds)) {
    const role = roles.get(id)
    if (role) held.push(role)
  }
  return held.sort((a, b) => a.rank - b.rank)
}
