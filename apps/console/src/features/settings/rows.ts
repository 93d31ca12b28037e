import { type SettingRow, settingTable } from '@rolecall/contract'
import { numberText } from '../../components/number.tsx'
import { type DurationUnit, durationWords } from '../../forms/duration.ts'
import { labelOf } from '../../forms/label.ts'

/** A setting on the page, created from a row of the contract's table. */
export interface Setting {
  readonly group: string
  readonly key: string
  readonly path: string
  readonly label: string
  /** The unit in which the value is stored. Undefined if the value is not a duration. */
  readonly unit: DurationUnit | undefined
  readonly meaning: string
  readonly variables: readonly string[]
  /** The bounds of the value. Undefined if the setting cannot be changed here. */
  readonly bounds: { readonly min: number; readonly max: number } | undefined
}

/** The typed values, by the path of the setting. */
export type Changes = Readonly<Record<string, string>>

const units: Readonly<Record<string, DurationUnit>> = { Ms: 'millisecond', Sec: 'second', Days: 'day' }

function rowOf(group: string, key: string, row: SettingRow): Setting {
  const [, name = key, suffix = ''] = /^(.*?)(Ms|Sec|Days)?$/.exec(key) ?? []
  return {
    ...{ group, key, path: `${group}.${key}`, meaning: row.meaning, variables: row.variables },
    label: labelOf(name),
    unit: units[suffix],
    bounds: 'editable' in row ? row.editable : undefined,
  }
}

/** Deprecated settings have no effect, so the page leaves them out. */
const rows: readonly Setting[] = Object.entries(settingTable).flatMap(([group, table]) =>
  Object.entries<SettingRow>(table)
    .filter(([, row]) => !('isDeprecated' in row))
    .map(([key, row]) => rowOf(group, key, row)),
)

/** The longest retention in days, about a hundred years. It counts as forever. */
const foreverDays = 36_500

/** Returns the value of a setting that counts as forever. Undefined if it has none. */
export const foreverOf = ({ unit, bounds }: Setting): number | undefined =>
  unit === 'day' && bounds?.max === foreverDays ? foreverDays : undefined

/** Returns the value of a setting in familiar units. */
export function valueText(setting: Setting, value: number): string {
  if (value === foreverOf(setting)) return 'forever'
  return setting.unit ? durationWords(value, setting.unit) : numberText(value)
}

/** Returns the settings of a group. */
export const rowsOf = (group: string): readonly Setting[] => rows.filter((row) => row.group === group)

/** The settings that an administrator can change. */
export const editableRows: readonly Setting[] = rows.filter(({ bounds }) => bounds !== undefined)

/** The titles of the groups that have another title than their name. */
export const groupTitles: Readonly<Record<string, string>> = {
  cache: 'Caches',
  chat: 'Discord',
  rateLimit: 'Limits',
  retention: 'Retention',
}

/** Returns the problem of a typed value. Undefined if the value is valid. */
export function problemOf(setting: Setting, text: string | undefined): string | undefined {
  const { bounds, unit } = setting
  if (text === undefined || !bounds) return undefined
  const value = Number(text)
  const isWithin = text.trim() !== '' && Number.isInteger(value) && value >= bounds.min && value <= bounds.max
  return isWithin
    ? undefined
    : `Must be ${unit ? '' : 'a whole number '}from ${valueText(setting, bounds.min)} to ${valueText(setting, bounds.max)}`
}

/** Returns the values that differ from the current ones, in the form of the request. Undefined if there are none. */
export function changesOf(
  values: object,
  changes: Changes,
): Record<string, Record<string, number>> | undefined {
  const body: Record<string, Record<string, number>> = {}
  for (const { group, key, path } of editableRows) {
    const text = changes[path]
    const now = (values as Record<string, Record<string, { value?: unknown }>>)[group]?.[key]?.value
    if (text === undefined || text === String(now)) continue
    body[group] = { ...body[group], [key]: Number(text) }
  }
  return Object.keys(body).length > 0 ? body : undefined
}
