import { type Static, Type } from 'typebox'
import { Nullable, Snowflake } from './formats.ts'
import { Name } from './names.ts'

/** Above the number of roles that a server of the chat platform can have. */
const maxNames = 250

const about =
  'Group names by role ID, for applications. They are in `groups` of OpenID Connect and of `validate`, and ' +
  'in `Remote-Groups`. For a role without a group name, the group has the name of the role. Several roles ' +
  'can have the same group name.'

/** A project's names of groups by role ID; null if it has none. */
export const GroupNames = Nullable({ ...Type.Record(Type.String(), Type.String()), description: about })

/** New names of groups. They replace all names of the project. */
export const GroupNamesInput = Nullable({
  ...Type.Record(Type.String(), Name, { maxProperties: maxNames, propertyNames: Snowflake }),
  description: `${about} Replaces all names; null clears them.`,
})

/** True if roles without a name add no group. */
export const OnlyNamedGroups = Type.Boolean({
  description: 'If true, roles without a name in `groupNames` add no group.',
})

export type GroupNames = Static<typeof GroupNames>
