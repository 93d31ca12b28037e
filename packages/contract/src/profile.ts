import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, Nullable, Snowflake, Uuid } from './formats.ts'
import { schemasOf } from './member-fields.ts'

const tag = 'Profile'

const { username, ...others } = schemasOf('profile')

/** The administrator of the current session. */
export const AdminProfile = Type.Object({
  id: Snowflake,
  username,
  isSystemAdmin: Type.Boolean(),
  isAuditor: Type.Boolean({
    description: 'True for an auditor, who can read everything and change nothing.',
  }),
  ownedProjects: Type.Array(Type.Object({ id: Uuid, name: Type.String() }), {
    description: 'The projects that this member owns, by name, at most 100.',
  }),
  ...others,
  displayName: Nullable(
    Type.String({ description: 'The nickname in the main server, as of the last sync.' }),
  ),
  preferredName: Nullable(
    Type.String({
      description: 'The name that you have set with this endpoint. It is shown instead of the display name.',
    }),
  ),
})

/** Returns the administrator of the admin session. */
export const getProfile = endpoint({
  method: 'GET',
  path: '/api/admin/profile',
  tag,
  summary: 'Read your own profile',
  description: 'Returns the administrator to whom the session of this request belongs.',
  auth: 'admin',
  owners: 'any',
  answers: { 200: AdminProfile },
  refuses: [],
})

/** Sets or clears the caller's preferred name. */
export const updateProfile = endpoint({
  method: 'PATCH',
  path: '/api/admin/profile',
  tag,
  summary: 'Set or clear your own preferred name',
  auth: 'admin',
  body: Closed({
    preferredName: Type.Optional(
      Nullable(
        Type.String({
          minLength: 1,
          // A decomposed spelling is longer than the counted one: the rule itself counts after NFC.
          maxLength: 1024,
          description:
            '1 to 255 characters, at least one of them visible. They are counted as code points in the Unicode form ' +
            'NFC, in which the name is stored. Control characters, line breaks, bidirectional overrides, and more ' +
            'than 8 combining marks in a row are rejected. `null` clears the name. If you omit the field, the name ' +
            'stays.',
        }),
      ),
    ),
  }),
  answers: { 200: AdminProfile },
  refuses: [],
})

export type AdminProfile = Static<typeof AdminProfile>
