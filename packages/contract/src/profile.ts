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
  isAuditor: Type.Boolean({ description: 'True for auditors, who read everything and change nothing.' }),
  ownedProjects: Type.Array(Type.Object({ id: Uuid, name: Type.String() }), {
    description: 'Projects that this member manages, by name; 100 at most.',
  }),
  ...others,
  displayName: Nullable(Type.String({ description: 'Nickname in the main server, as of the last sync.' })),
  preferredName: Nullable(
    Type.String({ description: 'Set with this endpoint. Overrides the display name.' }),
  ),
})

/** Returns the administrator of the admin session. */
export const getProfile = endpoint({
  method: 'GET',
  path: '/api/admin/profile',
  tag,
  summary: 'Read your own profile',
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
          // The rule counts characters after NFC. This limit is higher, because a decomposed text has more characters.
          maxLength: 1024,
          description:
            '1 to 255 characters (code points after NFC, the form in which it is stored), at least one of them ' +
            'visible. Control characters, line breaks, bidirectional overrides and more than 8 combining marks ' +
            'in a row are rejected. `null` clears the name. If the key is omitted, the name stays.',
        }),
      ),
    ),
  }),
  answers: { 200: AdminProfile },
  refuses: [],
})

export type AdminProfile = Static<typeof AdminProfile>
