/** Units in which people say how long something takes, with their length in milliseconds. */
const lengths = {
  millisecond: 1,
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
} as const

export type DurationUnit = keyof typeof lengths

/** An amount of a unit, as it was typed. */
export interface Duration {
  readonly amount: string
  readonly unit: DurationUnit
}

/** From the longest unit to the shortest, as the choice of a unit lists them. */
const units = (Object.keys(lengths) as DurationUnit[]).reverse()

/** Returns the units that can express a value of this stored unit exactly. */
export const unitsFrom = (stored: DurationUnit): readonly DurationUnit[] =>
  units.filter((unit) => lengths[unit] >= lengths[stored])

/** Returns a stored value in the longest unit that divides it: 3,600,000 milliseconds are 1 hour. */
export function durationOf(value: string, stored: DurationUnit): Duration {
  const total = Number(value) * lengths[stored]
  const unit = unitsFrom(stored).find((one) => total > 0 && total % lengths[one] === 0)
  return unit ? { amount: String(total / lengths[unit]), unit } : { amount: value, unit: stored }
}

/** Returns the stored value of a duration; text that is not a number stays as it is, so that it can be refused. */
export function storedValue({ amount, unit }: Duration, stored: DurationUnit): string {
  if (amount.trim() === '') return ''
  const value = (Number(amount) * lengths[unit]) / lengths[stored]
  return Number.isNaN(value) ? amount : String(value)
}

/** A duration in words: `30 days`. */
export function durationWords(value: number, stored: DurationUnit): string {
  const { amount, unit } = durationOf(String(value), stored)
  return new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'long' }).format(Number(amount))
}
