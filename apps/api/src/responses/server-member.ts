import { type FieldsOf, fieldsOf, pickFields, type projectReads } from '@rolecall/contract'
import type { HeldRole } from './roles.ts'

/** A member of a server, for responses to projects. The profile fields come from `FieldsOf`. */
export interface MemberOfServer extends FieldsOf<'serverMember'> {
  readonly memberId: string
  readonly joinedAt: Date | null
}

/** Returns a member as it appears in responses to projects. */
export const toServerMember = (
  row: MemberOfServer & { readonly roles: readonly HeldRole[] },
): projectReads.ServerMember => ({ ...withoutRoles(row), roles: [...row.roles] })

/** Returns a member as JSON without the roles, which `withRoles` adds. */
export const serverMemberProfile = (row: MemberOfServer): string => JSON.stringify(withoutRoles(row))

/** Adds the JSON of the roles, which are the last field of a member. */
export const withRoles = (profile: string, roles: string): string =>
  `${profile.slice(0, -1)},"roles":${roles}}`

const withoutRoles = (row: MemberOfServer) => ({
  memberId: row.memberId,
  ...pickFields(fieldsOf('serverMember'), row),
  joinedAt: row.joinedAt?.toISOString() ?? null,
})
