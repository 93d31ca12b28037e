import { useEffect, useRef, useState } from 'react'

/**
 * Returns the text of a field whose value is in the address. If something else changes the address, such as a link, the
 * text changes, too. What the field itself has reported reaches the address late, so it does not replace newer input.
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
  const latest = useRef(value)
  latest.current = value
  const report = (text: string) => {
    if (text === (reported.current.at(-1) ?? latest.current)) return
    reported.current = [...reported.current, text]
    onReport(text)
  }
  return { typed, setTyped, report } as const
}
