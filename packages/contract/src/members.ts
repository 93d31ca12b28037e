import { type Static, Type } from 'typebox'
import { DateTime, Nullable, Snowflake } from './formats.ts'

/** A member: every documented field of both shapes of the specification. */
export const Member = Type.Object({
  id: Snowflake,
  username: Type.String(),
  isClubMember: Type.Boolean({ description: 'Is a member of the main server now.' }),
  avatar: Nullable(Type.String({ description: 'Full CDN address.' })),
  displayName: Nullable(Type.String({ description: 'Nickname in the server.' })),
  email: Nullable(Type.String({ description: 'As the account had it at the last login.' })),
  globalName: Nullable(Type.String()),
  joinedAt: Nullable({
    ...DateTime,
    description:
      'When the account was created on the chat platform. When they joined a server is `joinedAt` of the member lists.',
  }),
  preferredName: Nullable(Type.String({ description: 'Set by an admin; overrides the display name.' })),
  createdAt: DateTime,
  updatedAt: DateTime,
  syncedAt: Nullable(DateTime),
})

/** A role as a session answer carries it, highest first. */
export const SessionRole = Type.Object({
  roleId: Snowflake,
  roleName: Type.String(),
  roleColor: Nullable(Type.Integer({ description: 'Decimal RGB; null is no colour.' })),
  rolePosition: Nullable(Type.Integer({ description: 'Higher stands above lower.' })),
})

export type Member = Static<typeof Member>
export type SessionRole = Static<typeof SessionRole>
