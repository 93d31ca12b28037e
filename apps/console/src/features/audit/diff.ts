import type { AuditEntry } from '@rolecall/sdk/admin'
import { momentText } from '../../components/time.tsx'
import { labelOf } from '../../forms/label.ts'

/** One value that changed, in words. */
export interface Difference {
  readonly label: string
  readonly before: string
  readonly after: string
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isInstant = (text: string) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)

/** Returns a value in words. */
function wordsOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'nothing'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return isInstant(value) ? momentText(value) : value
  if (Array.isArray(value)) return value.length === 0 ? 'nothing' : value.map(wordsOf).join(', ')
  if (isObject(value))
    return Object.entries(value)
      .map(([key, one]) => `${labelOf(key)}: ${wordsOf(one)}`)
      .join(', ')
  return String(value)
}

/** Returns the difference of two lists: the items that were removed, and the items that were added. */
function listDifference(label: string, before: readonly unknown[], after: readonly unknown[]): Difference {
  const without = (list: readonly unknown[], other: readonly unknown[]) => {
    const known = new Set(other.map((one) => JSON.stringify(one)))
    return list.filter((one) => !known.has(JSON.stringify(one)))
  }
  return { label, before: wordsOf(without(before, after)), after: wordsOf(without(after, before)) }
}

/** Compares two values. For objects, returns only the fields that differ. */
function differencesOf(label: string, before: unknown, after: unknown): readonly Difference[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (Array.isArray(before) && Array.isArray(after)) return [listDifference(label, before, after)]
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    return keys.flatMap((key) => differencesOf(`${label}: ${labelOf(key)}`, before[key], after[key]))
  }
  return [{ label, before: wordsOf(before), after: wordsOf(after) }]
}

/** Returns the changes of an entry in words, one for each value that differs. */
export const diffOf = (changes: AuditEntry['changes']): readonly Difference[] =>
  Object.entries(changes ?? {}).flatMap(([field, { before, after }]) =>
    differencesOf(labelOf(field), before, after),
  )
