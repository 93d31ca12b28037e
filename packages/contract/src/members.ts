import { type Static, Type } from 'typebox'
import { DateTime, Nullable, Snowflake } from './formats.ts'
import { schemasOf } from './member-fields.ts'

const { username, ...others } = schemasOf('session')

/** A member: all documented fields of both shapes in the specification. */
export const Member = Type.Object({
  id: Snowflake,
  username,
  isClubMember: Type.Boolean({ description: 'True if the member is in the main server now.' }),
  ...others,
  createdAt: DateTime,
  updatedAt: DateTime,
  syncedAt: Nullable(DateTime),
})

/** A role as a session response contains it, highest first. */
export const SessionRole = Type.Object({
  roleId: Snowflake,
  roleName: Type.String(),
  roleColor: Nullable(Type.Integer({ description: 'Decimal RGB; null means no color.' })),
  rolePosition: Nullable(Type.Integer({ description: 'A higher number ranks above a lower one.' })),
})

export type Member = Static<typeof Member>
export type SessionRole = Static<typeof SessionRole>
