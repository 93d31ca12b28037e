import { numberText } from './number.tsx'

/** The text of a percentile: a bound of the histogram, or longer than the last one. */
export const boundText = (ms: number | null, measured: number): string => {
  if (measured === 0) return '–'
  if (ms === null) return '> 10 s'
  return ms < 1_000 ? `≤ ${numberText(ms)} ms` : `≤ ${numberText(ms / 1_000)} s`
}

/** The text of a share in percent. */
export const shareText = (part: number, count: number): string => {
  if (part === 0) return '0 %'
  const share = (100 * part) / count
  return share < 0.1 ? '< 0.1 %' : `${numberText(Math.round(share * 10) / 10)} %`
}
