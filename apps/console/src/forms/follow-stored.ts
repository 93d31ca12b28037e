export const areEqual = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

type JsonMap = Readonly<Record<string, unknown>>

const isMap = (value: unknown): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const mapOf = (value: unknown): JsonMap => (isMap(value) ? value : {})

/** Returns the fields whose values differ. An empty text is the same as no value. */
export function differingKeys(values: object, stored: object): string[] {
  const [mine, theirs] = [mapOf(values), mapOf(stored)]
  const keys = new Set([...Object.keys(mine), ...Object.keys(theirs)])
  return [...keys].filter((key) => !areEqual(mine[key] ?? '', theirs[key] ?? ''))
}

/** Returns the values that the user has changed, or all values if none is changed. */
export function changedOf<Values extends object>(values: Values, stored: Values): Partial<Values> {
  const keys = differingKeys(values, stored)
  const changed = Object.entries(values).filter(([key]) => keys.includes(key))
  return changed.length === 0 ? values : (Object.fromEntries(changed) as Partial<Values>)
}

/**
 * Returns the values of a form after the stored values have changed: the stored value of each field that the user has
 * not changed, and otherwise the value of the user. Lists of texts, and maps by ID, are merged entry by entry.
 *
 * @param values The values in the form.
 * @param before The stored values that the form adopted last.
 * @param stored The stored values now.
 */
export function followStored<Values extends object>(values: Values, before: Values, stored: Values): Values {
  const [mine, old, theirs] = [mapOf(values), mapOf(before), mapOf(stored)]
  const keys = new Set([...Object.keys(mine), ...Object.keys(theirs)])
  const entries = [...keys].map((key) => [key, followValue(mine[key], old[key], theirs[key])] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Values
}

function followValue(mine: unknown, old: unknown, theirs: unknown): unknown {
  if (areEqual(mine, theirs) || areEqual(old, theirs)) return mine
  if (areEqual(mine, old)) return theirs
  if (isTextList(mine) && isTextList(theirs))
    return mergeLists(mine, isTextList(old) ? old : [], theirs) ?? mine
  if (!areMapsById(mine, theirs)) return mine
  const entries = followStored(mapOf(mine), mapOf(old), mapOf(theirs))
  // A form stores an empty map as null.
  return mine === null && Object.keys(entries).length === 0 ? null : entries
}

/** Returns the fields that both the user and another administrator have changed, to values that cannot be merged. */
export function conflictsOf(values: object, before: object, stored: object): string[] {
  const [mine, old, theirs] = [mapOf(values), mapOf(before), mapOf(stored)]
  return Object.keys(mine).filter((key) => isConflict(mine[key], old[key], theirs[key]))
}

function isConflict(mine: unknown, old: unknown, theirs: unknown): boolean {
  if (areEqual(mine, old) || areEqual(theirs, old) || areEqual(mine, theirs)) return false
  if (isTextList(mine) && isTextList(theirs))
    return mergeLists(mine, isTextList(old) ? old : [], theirs) === undefined
  return !areMapsById(mine, theirs) || conflictsOf(mapOf(mine), mapOf(old), mapOf(theirs)).length > 0
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isTextList = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText)
const isMapById = (value: unknown): boolean =>
  isMap(value) && Object.entries(value).every(([key, entry]) => /^\d+$/.test(key) && isText(entry))
const areMapsById = (...values: readonly unknown[]): boolean =>
  values.every((value) => isMapById(value === null ? {} : value))

/**
 * Returns the stored list without the entries that the user has removed, and with those that the user has added. They
 * come last, so that the cursor of a text area stays on the line that the user types. Returns undefined if nothing
 * would be left of two lists with entries: an empty list can admit everyone, which neither side wants.
 */
function mergeLists(mine: readonly string[], old: readonly string[], theirs: readonly string[]) {
  const merged = [
    ...theirs.filter((entry) => mine.includes(entry) || !old.includes(entry)),
    ...mine.filter((entry) => !old.includes(entry) && !theirs.includes(entry)),
  ]
  return merged.length === 0 && mine.length > 0 && theirs.length > 0 ? undefined : merged
}
