import { type SettingRow, settingTable } from '@rolecall/contract'
import { type Config, variables } from '../../config.ts'
import type { LiveSettings } from '../../deps.ts'

/** The values that administrators have set, by the path of the setting. */
type Overrides = Readonly<Record<string, number>>

/** A setting of the contract, with the configuration that supplies its default. */
export interface Setting {
  readonly group: string
  readonly key: string
  /** The name under which the setting is stored and audited: `group.key`. */
  readonly path: string
  readonly row: SettingRow
  readonly configKeys: readonly (keyof Config)[]
}

const configKeyOf = (name: string) => {
  const found = Object.entries(variables).find(([, variable]) => variable.name === name)
  if (!found) throw new Error(`A setting names ${name}, which is not a configuration variable.`)
  return found[0] as keyof Config
}

/** All settings, in the order of the contract's table. */
export const registry: readonly Setting[] = Object.entries(settingTable).flatMap(([group, rows]) =>
  Object.entries<SettingRow>(rows).map(([key, row]) => ({
    group,
    key,
    path: `${group}.${key}`,
    row,
    configKeys: row.variables.map(configKeyOf),
  })),
)

type EditableSetting = Setting & {
  readonly row: Extract<SettingRow, { readonly editable: unknown }>
}
const editableRows = registry.filter((setting): setting is EditableSetting => 'editable' in setting.row)

/** Returns the configured value of a setting, or null if it has none. For a secret, returns only whether it is set. */
export const defaultOf = (config: Config, { row, configKeys }: Setting): unknown => {
  const values = configKeys.map((key) => config[key])
  return row.kind === 'secret'
    ? values.every((value) => value !== undefined && value !== '')
    : (values[0] ?? null)
}

/** Returns true if the environment sets all variables of a setting. */
export const isGiven = (config: Config, { configKeys }: Setting): boolean =>
  configKeys.every((key) => (config.given as readonly string[]).includes(key))

/**
 * Returns the values in force of the editable settings, by path: the stored value if it is within bounds, or the
 * default.
 */
export const effectiveValues = (config: Config, overrides: Overrides): Record<string, number> =>
  Object.fromEntries(
    editableRows.map((setting) => {
      const stored = overrides[setting.path]
      // A stored value may be out of bounds, because another version with other bounds has stored it.
      const value = isWithin(setting, stored) ? stored : (defaultOf(config, setting) as number)
      return [setting.path, value]
    }),
  )

/** Returns a sentence for each stored value that is not in force, because it is out of bounds. */
export const storedOutOfBounds = (overrides: Overrides): string[] =>
  editableRows.flatMap((setting) => {
    const stored = overrides[setting.path]
    if (stored === undefined || isWithin(setting, stored)) return []
    const { min, max } = setting.row.editable
    return [`${setting.path} is ${JSON.stringify(stored)}, but must be from ${min} to ${max}`]
  })

/** Returns true if a stored value of a setting is within the bounds of this version. */
export const isWithin = ({ row }: Setting, value: number | undefined): value is number =>
  'editable' in row &&
  Number.isInteger(value) &&
  (value as number) >= row.editable.min &&
  (value as number) <= row.editable.max

/** Returns the values in force of the editable settings by key, as the rest of the service uses them. */
export function liveSettings(config: Config, overrides: Overrides): LiveSettings {
  const values = effectiveValues(config, overrides)
  return Object.fromEntries(editableRows.map(({ key, path }) => [key, values[path]])) as LiveSettings
}
