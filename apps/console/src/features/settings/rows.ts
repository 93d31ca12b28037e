import { settings } from '@rolecall/contract'
import { numberText } from '../../components/number.tsx'

/** A setting as the page shows it: a row of the contract's table. */
export interface Setting {
  readonly group: string
  readonly key: string
  readonly path: string
  readonly meaning: string
  readonly variables: readonly string[]
  /** Undefined where it cannot be changed here. */
  readonly bounds: { readonly min: number; readonly max: number } | undefined
}

/** What was typed, by the path of the setting. */
export type Changes = Readonly<Record<string, string>>

const rows: readonly Setting[] = Object.entries(settings.settingTable).flatMap(([group, table]) =>
  Object.entries<settings.SettingRow>(table).map(([key, row]) => ({
    ...{ group, key, path: `${group}.${key}`, meaning: row.meaning, variables: row.variables },
    bounds: 'editable' in row ? row.editable : undefined,
  })),
)

export const rowsOf = (group: string): readonly Setting[] => rows.filter((row) => row.group === group)

export const editableRows: readonly Setting[] = rows.filter(({ bounds }) => bounds !== undefined)

/** Titles that are more than their word. */
export const groupTitles: Readonly<Record<string, string>> = {
  cache: 'Caches',
  chat: 'Chat platform',
  rateLimit: 'Limits',
  retention: 'How long things are kept',
}

/** What is wrong with what was typed, or undefined. */
export function problemOf({ bounds }: Setting, text: string | undefined): string | undefined {
  if (text === undefined || !bounds) return undefined
  const value = Number(text)
  const isWithin = text.trim() !== '' && Number.isInteger(value) && value >= bounds.min && value <= bounds.max
  return isWithin
    ? undefined
    : `Must be a whole number from ${numberText(bounds.min)} to ${numberText(bounds.max)}`
}

/** What differs from the values in force, as the service takes it; undefined where nothing does. */
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
