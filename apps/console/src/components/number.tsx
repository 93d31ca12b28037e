const whole = new Intl.NumberFormat()
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })

/** A number in the reader’s format; `short`: 12.4K, with the whole of it on hover. */
export const Num = ({ value, short: isShort = false }: { value: number; short?: boolean }) =>
  isShort && value >= 10_000 ? (
    <span className="number" title={whole.format(value)}>
      {short.format(value)}
    </span>
  ) : (
    <span className="number">{whole.format(value)}</span>
  )

export const numberText = (value: number): string => whole.format(value)

/** A count with its noun: `1 session`, `214 sessions`. */
export const countText = (value: number, one: string, many = `${one}s`): string =>
  `${whole.format(value)} ${value === 1 ? one : many}`
