import { useId, useRef } from 'react'
import { useTyped } from './use-typed.ts'

interface PeriodFieldsProps {
  /** A moment in the reader’s zone, in the format of a `datetime-local` input. */
  readonly from: string | undefined
  readonly to: string | undefined
  readonly onChange: (period: { readonly from: string; readonly to: string }) => void
}

/** Two fields for the start and the end of a period. Either may be empty. A reversed period is not reported. */
export function PeriodFields({ from = '', to = '', onChange }: PeriodFieldsProps) {
  const problemId = useId()
  const start = useRef<HTMLInputElement>(null)
  const end = useRef<HTMLInputElement>(null)
  // Both moments are one text, as in ISO 8601, because a change of one can make both valid.
  const { typed, setTyped, report } = useTyped(`${from}/${to}`, (text) => onChange(momentsOf(text)))
  const shown = momentsOf(typed)
  const isWrong = isReversed(shown)
  const change = () => {
    setTyped(`${start.current?.value}/${end.current?.value}`)
    const period = { from: completeOf(start.current, from), to: completeOf(end.current, to) }
    if (!isReversed(period)) report(`${period.from}/${period.to}`)
  }
  const common = {
    type: 'datetime-local',
    className: 'input',
    onChange: change,
    ...(isWrong && { 'aria-invalid': true, 'aria-describedby': problemId }),
  }
  return (
    <>
      <label className="row quiet">
        From
        <input {...common} ref={start} value={shown.from} />
      </label>
      <label className="row quiet">
        To
        <input {...common} ref={end} value={shown.to} />
      </label>
      {isWrong && (
        <span id={problemId} className="field-problem" role="alert">
          “From” is after “To”. Change one of them to filter by time.
        </span>
      )}
    </>
  )
}

interface Moments {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

function momentsOf(text: string) {
  const [from = '', to = ''] = text.split('/')
  return { from, to }
}

/**
 * Returns the moment in a field. While the date is incomplete, the value of the input is empty, so it returns `before`.
 */
const completeOf = (field: HTMLInputElement | null, before: string): string =>
  !field || field.validity.badInput ? before : field.value

const isReversed = ({ from = '', to = '' }: Moments): boolean => new Date(from) > new Date(to)

/** Returns the period for a query. Returns no bounds for a reversed period, which an address may contain. */
export const periodOf = ({ from, to }: Moments) =>
  isReversed({ from, to })
    ? { dateFrom: undefined, dateTo: undefined }
    : { dateFrom: instantOf(from), dateTo: instantOf(to) }

/** Converts the value of a `datetime-local` input, in the reader’s zone, to an instant. */
export function instantOf(text: string | undefined): string | undefined {
  const at = new Date(text ?? '')
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}
