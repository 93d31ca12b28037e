import { ExactNumber } from '../json/exact-number.ts'
import type { Run } from './run.ts'

/** Returns a text that is the same for all values that JSON Schema considers equal. Keys are sorted. */
export function canonical(value: unknown, run?: Run): string {
  run?.spend(typeof value === 'string' ? 4 + (value.length >> 2) : 12)
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item, run)).join(',')}]`
  if (value instanceof ExactNumber) return value.text
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const keys = Object.keys(value).sort()
  run?.spend(30 + keys.length * 25)
  const members = keys.map(
    (key) => `${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key], run)}`,
  )
  return `{${members.join(',')}}`
}
