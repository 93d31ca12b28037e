import { useEffect, useRef, useState } from 'react'

/**
 * The text in a field whose value is in the address. The text follows the value when something else changes it, for
 * example a link. A value that the field itself has reported returns later, and does not replace newer input.
 */
export function useTyped(value: string, onReport: (text: string) => void) {
  const [typed, setTyped] = useState(value)
  /** The reported texts that have not returned yet. */
  const reported = useRef<readonly string[]>([])
  useEffect(() => {
    const at = reported.current.indexOf(value)
    reported.current = at < 0 ? [] : reported.current.slice(at + 1)
    if (at < 0) setTyped(value)
  }, [value])
  const report = (text: string) => {
    if (text === (reported.current.at(-1) ?? value)) return
    reported.current = [...reported.current, text]
    onReport(text)
  }
  return { typed, setTyped, report } as const
}
