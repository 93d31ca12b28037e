const whole = new Intl.NumberFormat()
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })

/** A number in the reader’s format. With `short`, it is like 12.4K, and the full number appears on hover. */
export const Num = ({ value, short: isShort = false }: { value: number; short?: boolean }) =>
  isShort && value >= 10_000 ? (
    <span className="number" title={whole.format(value)}>
      {short.format(value)}
    </span>
  ) : (
    <span className="number">{whole.format(value)}</span>
  )

/** Returns a number as text, in the reader’s format. */
export const numberText = (value: number): string => whole.format(value)

/** Returns a count with its noun, e.g. `1 session` or `214 sessions`. */
export const countText = (value: number, one: string, many = `${one}s`): string =>
  `${whole.format(value)} ${value === 1 ? one : many}`
