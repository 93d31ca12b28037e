interface PeriodFieldsProps {
  /** A moment in the reader’s zone, in the format of a `datetime-local` input. */
  readonly from: string | undefined
  readonly to: string | undefined
  readonly onChange: (changes: { readonly from?: string; readonly to?: string }) => void
}

/** Two fields for the start and the end of a period. Either may be empty. */
export const PeriodFields = ({ from, to, onChange }: PeriodFieldsProps) => (
  <>
    <label className="row quiet">
      From
      <input
        type="datetime-local"
        className="input"
        value={from ?? ''}
        onChange={(event) => onChange({ from: event.target.value })}
      />
    </label>
    <label className="row quiet">
      To
      <input
        type="datetime-local"
        className="input"
        value={to ?? ''}
        onChange={(event) => onChange({ to: event.target.value })}
      />
    </label>
  </>
)

/** Converts the value of a `datetime-local` input, in the reader’s zone, to an instant. */
export function instantOf(text: string | undefined): string | undefined {
  const at = new Date(text ?? '')
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}
