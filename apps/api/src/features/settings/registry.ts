import { type SettingRow, settingTable } from '@rolecall/contract'
import { type Config, variables } from '../../config.ts'
import type { LiveSettings } from '../../deps.ts'

type Overrides = Readonly<Record<string, number>>

/** A setting of the contract, bound to the configuration that gives its default. */
export interface Setting {
  readonly group: string
  readonly key: string
  /** The name under which it is stored and audited. */
  readonly path: string
  readonly row: SettingRow
  readonly configKeys: readonly (keyof Config)[]
}

const configKeyOf = (name: string) => {
  const found = Object.entries(variables).find(([, variable]) => variable.name === name)
  if (!found) throw new Error(`A setting names ${name}, which is not a configuration variable.`)
  return found[0] as keyof Config
}

/** Every setting, one per row of the contract's table. */
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

/** Returns the configured value of a setting, or null; for a secret, only whether it is set. */
export const defaultOf = (config: Config, { row, configKeys }: Setting): unknown => {
  const values = configKeys.map((key) => config[key])
  return row.kind === 'secret'
    ? values.every((value) => value !== undefined && value !== '')
    : (values[0] ?? null)
}

/** Returns true if the environment sets a setting; a secret counts if each of its variables is set. */
export const isGiven = (config: Config, { configKeys }: Setting): boolean =>
  configKeys.every((key) => (config.given as readonly string[]).includes(key))

/** Returns the values of the editable settings by path: a usable override, or else the default. */
export const effectiveValues = (config: Config, overrides: Overrides): Record<string, number> =>
  Object.fromEntries(
    editableRows.map((setting) => {
      const stored = overrides[setting.path]
      // Another version may have had other bounds; its stored value is then not in force here.
      const value = isWithin(setting, stored) ? stored : (defaultOf(config, setting) as number)
      return [setting.path, value]
    }),
  )

/** Returns a sentence for each stored value that is not in force because this version does not accept it. */
export const storedOutOfBounds = (overrides: Overrides): string[] =>
  editableRows.flatMap((setting) => {
    const stored = overrides[setting.path]
    if (stored === undefined || isWithin(setting, stored)) return []
    const { min, max } = setting.row.editable
    return [`${setting.path} is ${JSON.stringify(stored)}, but must be from ${min} to ${max}`]
  })

/** Returns true if a stored value is in force in this version. */
export const isWithin = ({ row }: Setting, value: number | undefined): value is number =>
  'editable' in row &&
  Number.isInteger(value) &&
  (value as number) >= row.editable.min &&
  (value as number) <= row.editable.max

/** Returns the same values by name, as the rest of the service uses them. */
export function liveSettings(config: Config, overrides: Overrides): LiveSettings {
  const values = effectiveValues(config, overrides)
  return Object.fromEntries(editableRows.map(({ key, path }) => [key, values[path]])) as LiveSettings
}
