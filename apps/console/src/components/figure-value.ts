import type { ReactNode } from 'react'

interface Answered<T> {
  readonly data: T | undefined
  readonly error: unknown
}

/** Returns the content of a figure: its value, an ellipsis while it loads, or a word if it cannot be loaded. */
export const figureValue = <T>({ data, error }: Answered<T>, show: (data: T) => ReactNode): ReactNode => {
  if (data !== undefined) return show(data)
  return error ? 'Unknown' : '…'
}
