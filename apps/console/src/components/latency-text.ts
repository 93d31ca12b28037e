import { numberText } from './number.tsx'

/** Returns a percentile as text: a bound of the histogram, or that it is longer than the last bound. */
export const boundText = (ms: number | null, measured: number): string => {
  if (measured === 0) return '–'
  if (ms === null) return '> 10 s'
  return ms < 1_000 ? `≤ ${numberText(ms)} ms` : `≤ ${numberText(ms / 1_000)} s`
}

/** Returns a share as text, in percent. */
export const shareText = (part: number, count: number): string => {
  if (part === 0) return '0 %'
  const share = (100 * part) / count
  return share < 0.1 ? '< 0.1 %' : `${numberText(Math.round(share * 10) / 10)} %`
}
