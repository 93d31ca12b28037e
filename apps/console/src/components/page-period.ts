import { useEffect } from 'react'

/** A period. Either end may be open. */
export interface Period {
  readonly from: string | undefined
  readonly to: string | undefined
}

/** The period of the page on the screen, for the keys that copy and paste it. */
export interface PagePeriod {
  readonly period: Period
  /** Shows another period. The moments are in the reader’s time zone, in the format of page addresses. */
  readonly show: (from: string, to: string) => void
}

let shown: PagePeriod | undefined

/** Returns the period of the page. Undefined if the page has none. */
export const shownPeriod = (): PagePeriod | undefined => shown

/** Registers the period of the page while it is mounted. */
export function usePagePeriod(page: PagePeriod): void {
  useEffect(() => {
    shown = page
    return () => {
      if (shown === page) shown = undefined
    }
  })
}
