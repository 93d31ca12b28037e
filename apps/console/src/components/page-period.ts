import { useEffect } from 'react'

/** A period of which either end may be open, as instants. */
export interface Period {
  readonly from: string | undefined
  readonly to: string | undefined
}

/** What the page on the screen shows of the course of time, for the keys that copy and paste it. */
export interface PagePeriod {
  readonly period: Period
  /** Takes moments of the reader’s zone, as addresses of pages have them. */
  readonly show: (from: string, to: string) => void
}

let shown: PagePeriod | undefined

/** Undefined where the page has no period. */
export const shownPeriod = (): PagePeriod | undefined => shown

/** Says which period the page shows. */
export function usePagePeriod(page: PagePeriod): void {
  useEffect(() => {
    shown = page
    return () => {
      if (shown === page) shown = undefined
    }
  })
}
