import { type Static, Type } from 'typebox'
import { endpoint } from './endpoint.ts'
import { Closed, DateTime, Nullable, OneOf } from './formats.ts'
import {
  type EditableRow,
  type SecretRow,
  type SettingRow,
  settingTable,
  type TextRow,
} from './setting-table.ts'

const tag = 'Settings'

type Table = typeof settingTable
type Dto<Row> = Row extends SecretRow
  ? { readonly editable: false; readonly isSet: boolean }
  : { readonly editable: boolean; readonly value: (Row extends TextRow ? string : number) | null }

type EditableKeys<Group> = { [K in keyof Group]: Group[K] extends EditableRow ? K : never }[keyof Group]

/** The effective value of every setting. */
export type EffectiveSettings = { [G in keyof Table]: { [K in keyof Table[G]]: Dto<Table[G][K]> } } & {
  readonly meta: { readonly updatedAt: string | null; readonly updatedBy: string | null }
}

/** The names of the settings that may change at run time. */
export type EditableSetting = { [G in keyof Table]: EditableKeys<Table[G]> }[keyof Table]

/** New values by group and name. */
export type UpdateSettings = {
  [G in keyof Table as EditableKeys<Table[G]> extends never ? never : G]?: {
    [K in EditableKeys<Table[G]>]?: number
  }
}

const isEditable = (row: SettingRow): row is EditableRow => 'editable' in row

const valueSchema = (row: SettingRow) => {
  if (row.kind === 'secret') {
    return Type.Object(
      { editable: Type.Literal(false), isSet: Type.Boolean() },
      { description: `${row.meaning} The value is never shown.` },
    )
  }
  const value = row.kind === 'number' ? Type.Number() : Type.String()
  return Type.Object(
    { editable: Type.Literal(isEditable(row)), value: Nullable(value) },
    { description: `${row.meaning} Default from ${row.variables.join(', ')}.` },
  )
}

const EffectiveSettings = Type.Unsafe<EffectiveSettings>(
  Type.Object({
    ...Object.fromEntries(
      Object.entries(settingTable).map(([group, rows]) => [
        group,
        Type.Object(Object.fromEntries(Object.entries(rows).map(([key, row]) => [key, valueSchema(row)]))),
      ]),
    ),
    meta: Type.Object({
      updatedAt: Nullable({ ...DateTime, description: 'The time when a setting was last written.' }),
      updatedBy: Nullable(
        Type.String({ description: 'The member ID of the administrator who last changed the settings.' }),
      ),
    }),
  }),
)

const newValues = (rows: Readonly<Record<string, SettingRow>>) =>
  Object.entries(rows).flatMap(([key, row]) => {
    if (!isEditable(row)) return []
    const { min: minimum, max: maximum } = row.editable
    return [[key, Type.Optional(Type.Integer({ minimum, maximum, description: row.meaning }))] as const]
  })

const UpdateSettings = Type.Unsafe<UpdateSettings>(
  Closed(
    Object.fromEntries(
      Object.entries(settingTable).flatMap(([group, rows]) => {
        const values = newValues(rows)
        return values.length === 0 ? [] : [[group, Type.Optional(Closed(Object.fromEntries(values)))]]
      }),
    ),
  ),
)

/** Returns the value of every setting, and whether it may change. Secrets only reveal whether they are set. */
export const getSettings = endpoint({
  method: 'GET',
  path: '/api/admin/settings',
  tag,
  summary: 'Read the effective settings',
  description:
    'Returns the value of each setting, and whether it can be changed. For a secret, returns only whether it ' +
    'is set.',
  auth: 'admin',
  answers: { 200: EffectiveSettings },
  refuses: [],
})

/** The source of a setting's effective value, and the administrator who last changed it. */
export const SettingSource = Type.Object({
  source: {
    ...OneOf('default', 'environment', 'stored'),
    description:
      'The origin of the value: the default, a variable (for a secret, each of its variables), or a value that an ' +
      'administrator stored.',
  },
  configured: Nullable(
    Type.Number({
      description: 'The value that a reset would restore; null if the setting cannot be changed here.',
    }),
  ),
  ignored: Nullable(
    Type.Number({
      description:
        'The stored value, if it is out of bounds in this version of the service and is therefore ignored.',
    }),
  ),
  changedAt: Nullable({
    ...DateTime,
    description: 'The time when an administrator last changed or reset the setting.',
  }),
  changedBy: Nullable(
    Type.String({
      description:
        'The username of that administrator; null if unknown, for example after the person was erased.',
    }),
  ),
})

/** Returns the source of each value. */
export const getSettingSources = endpoint({
  method: 'GET',
  path: '/api/admin/settings/sources',
  tag,
  summary: 'List the sources of settings',
  description:
    'The keys of the response have the form `group.key`, such as `cache.statsTtlMs`. The time of a change is ' +
    'known as long as its audit log entry exists.',
  auth: 'admin',
  answers: { 200: Type.Object({ sources: Type.Record(Type.String(), SettingSource) }) },
  refuses: [],
})

/** Changes settings, all or none. Refuses values out of bounds with VALIDATION_FAILED. */
export const updateSettings = endpoint({
  method: 'PATCH',
  path: '/api/admin/settings',
  tag,
  summary: 'Change settings',
  description:
    'Applies all changes or none, without a restart: on this instance before the response, and on every ' +
    'other instance within a second. A value that is already in effect is not stored.',
  auth: 'admin',
  body: UpdateSettings,
  answers: { 200: EffectiveSettings },
  refuses: [],
})

/** Resets all settings to the values of the environment. */
export const resetSettings = endpoint({
  method: 'POST',
  path: '/api/admin/settings/reset',
  tag,
  summary: 'Reset all settings to the values of the environment',
  description:
    'Removes all values that administrators have stored. Each instance then uses the values of its ' +
    'environment again, within a second.',
  auth: 'admin',
  answers: { 200: EffectiveSettings },
  refuses: [],
})

export type SettingSource = Static<typeof SettingSource>
