/** The units of durations, with their lengths in milliseconds. */
const lengths = {
  millisecond: 1,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
} as const

export type DurationUnit = keyof typeof lengths

/** A duration: an amount as it was typed, and a unit. */
export interface Duration {
  readonly amount: string
  readonly unit: DurationUnit
}

/** The units from the longest to the shortest, which is their order in the list of units. */
const units = (Object.keys(lengths) as DurationUnit[]).reverse()

/** Returns the units that can express a value of this stored unit exactly. */
export const unitsFrom = (stored: DurationUnit): readonly DurationUnit[] =>
  units.filter((unit) => lengths[unit] >= lengths[stored])

/** Returns a stored value in the longest unit that divides it, e.g. 1 hour for 3,600,000 milliseconds. */
export function durationOf(value: string, stored: DurationUnit): Duration {
  const total = Number(value) * lengths[stored]
  const unit = unitsFrom(stored).find((one) => total > 0 && total % lengths[one] === 0)
  return unit ? { amount: String(total / lengths[unit]), unit } : { amount: value, unit: stored }
}

/**
 * Returns the value to store for a duration. Returns text that is not a number unchanged, so that it is refused later.
 */
export function storedValue({ amount, unit }: Duration, stored: DurationUnit): string {
  if (amount.trim() === '') return ''
  const value = (Number(amount) * lengths[unit]) / lengths[stored]
  return Number.isNaN(value) ? amount : String(value)
}

/** Returns a duration in words, e.g. `30 days`. */
export function durationWords(value: number, stored: DurationUnit): string {
  const { amount, unit } = durationOf(String(value), stored)
  return new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'long' }).format(Number(amount))
}
