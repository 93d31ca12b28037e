import { type Static, Type } from 'typebox'
import { Nullable, Snowflake } from './formats.ts'
import { Name } from './names.ts'

/** The maximum number of names. It exceeds the number of roles that a Discord server can have. */
const maxNames = 250

const about =
  'Names of groups in applications, by role ID: in `groups` of OpenID Connect and of validate, and in `Remote-Groups`. ' +
  'A role without a group name uses its own name. Several roles can share a group name.'

/** A project's names of groups, by role ID. Null if it has none. */
export const GroupNames = Nullable({ ...Type.Record(Type.String(), Type.String()), description: about })

/** New names of groups. They replace all names of the project. */
export const GroupNamesInput = Nullable({
  ...Type.Record(Type.String(), Name, { maxProperties: maxNames, propertyNames: Snowflake }),
  description: `${about} Replaces all names; null clears them.`,
})

/** True if roles without a name add no group. */
export const OnlyNamedGroups = Type.Boolean({
  description: 'Roles without a name in `groupNames` are left out.',
})

export type GroupNames = Static<typeof GroupNames>
