import { useState } from 'react'
import { type Duration, type DurationUnit, durationOf, storedValue, unitsFrom } from './duration.ts'
import './duration-input.css'

interface DurationInputProps {
  readonly id: string
  readonly label: string
  /** The stored value, as text. */
  readonly value: string
  readonly stored: DurationUnit
  /** The stored value that counts as forever, if there is one. */
  readonly forever: number | undefined
  readonly onChange: (value: string) => void
  readonly 'aria-invalid': boolean
  readonly 'aria-describedby': string
}

const unitNames: Readonly<Record<DurationUnit, string>> = {
  millisecond: 'milliseconds',
  second: 'seconds',
  minute: 'minutes',
  hour: 'hours',
  day: 'days',
}

/** A field for a duration: an amount and its unit, or forever. */
export function DurationInput(props: DurationInputProps) {
  const { id, label, value, stored, forever, onChange } = props
  // Keeps the chosen unit while the user types, so that 60 minutes do not become 1 hour.
  const [typed, setTyped] = useState<Duration>()
  const isForever = value === String(forever)
  const shown = typed && storedValue(typed, stored) === value ? typed : durationOf(value, stored)
  const set = (duration: Duration) => {
    setTyped(duration)
    onChange(storedValue(duration, stored))
  }
  const choose = (unit: string) => {
    if (unit === 'forever') onChange(String(forever))
    else set({ amount: isForever ? '' : shown.amount, unit: unit as DurationUnit })
  }
  return (
    <span className="duration">
      {!isForever && (
        <input
          id={id}
          className="input"
          type="number"
          inputMode="numeric"
          min={0}
          value={shown.amount}
          aria-invalid={props['aria-invalid']}
          aria-describedby={props['aria-describedby']}
          onChange={({ target }) => set({ ...shown, amount: target.value })}
        />
      )}
      <select
        id={isForever ? id : undefined}
        className="input"
        aria-label={isForever ? label : `Unit of ${label}`}
        value={isForever ? 'forever' : shown.unit}
        onChange={({ target }) => choose(target.value)}
      >
        {unitsFrom(stored).map((unit) => (
          <option key={unit} value={unit}>
            {unitNames[unit]}
          </option>
        ))}
        {forever !== undefined && <option value="forever">forever</option>}
      </select>
    </span>
  )
}
