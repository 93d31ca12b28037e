import type { Page } from 'playwright-core'

/** The content that a page must show before a user can continue. */
export interface Goal {
  /** A regular expression that matches the end of the address, including the query. */
  readonly address: string
  readonly heading: string
  /** A selector. At least one element must match. */
  readonly shown: string
}

/** The duration of an action. */
export interface Took {
  /** The time from the key or the click to the painted content, in milliseconds. */
  readonly total: number
  /** The part of that time in which at least one request to the service was pending. */
  readonly api: number
}

declare global {
  var lastActAt: number
}

/** Runs in each page before the page's own scripts. Records the time of the last key press, click, or change. */
export function rememberActs(): void {
  globalThis.lastActAt = 0
  for (const kind of ['keydown', 'click', 'change']) {
    addEventListener(kind, ({ timeStamp }) => Object.assign(globalThis, { lastActAt: timeStamp }), true)
  }
}

/** Performs an action in the page, waits for the goal, and returns how long that took. */
export async function timed(page: Page, goal: Goal, act: () => Promise<unknown>): Promise<Took> {
  await page.evaluate(() => performance.clearResourceTimings())
  // Starts to wait in the page before the action, so that the communication with the browser is not measured.
  const reached = page.evaluate(reach, goal)
  await act()
  return reached
}

/** Measures how long the whole page takes to load, from the request of its address. */
export async function timedLoad(page: Page, url: string, goal: Goal): Promise<Took> {
  await page.goto(url, { waitUntil: 'commit' })
  return page.evaluate(reach, goal)
}

/** Runs in the page. Waits until the goal is reached and painted. */
async function reach({ address, heading, shown }: Goal): Promise<Took> {
  const isThere = () =>
    new RegExp(`${address}$`).test(location.pathname + location.search) &&
    new RegExp(heading).test(document.querySelector('h1')?.textContent ?? '') &&
    !document.querySelector('[aria-label="Loading"], .stale') &&
    document.querySelector(shown) !== null
  await new Promise<void>((resolve, reject) => {
    const observer = new MutationObserver(() => {
      if (!isThere()) return
      observer.disconnect()
      clearTimeout(late)
      resolve()
    })
    const late = setTimeout(
      () => reject(new Error(`${address} shows no ${shown}: ${document.body.innerText.slice(0, 400)}`)),
      60_000,
    )
    observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
    document.documentElement.toggleAttribute('data-observed')
  })
  // Waits until the content is painted, and not only in the document.
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  const end = performance.now()
  const requests = performance
    .getEntriesByType('resource')
    .filter((entry) => entry instanceof PerformanceResourceTiming)
    .filter(({ name, startTime }) => name.includes('/api/') && startTime >= lastActAt)
    .toSorted((a, b) => a.startTime - b.startTime)
  let api = 0
  let until = 0
  for (const { requestStart, startTime, responseEnd } of requests) {
    const from = Math.max(until, requestStart || startTime)
    if (responseEnd <= from || responseEnd > end) continue
    api += responseEnd - from
    until = responseEnd
  }
  return { total: end - lastActAt, api }
}

/** Scrolls an element to its end, one step per frame. Returns the duration of each frame. */
export async function timedScroll(page: Page, frame: string, step: number): Promise<number[]> {
  return page.evaluate(
    async ({ frame, step }) => {
      const scrolled = document.querySelector(frame)
      if (!scrolled) throw new Error(`There is no ${frame}.`)
      const took: number[] = []
      let before = performance.now()
      for (let top = 0; top < scrolled.scrollHeight; top += step) {
        scrolled.scrollTo(0, top)
        await new Promise((resolve) => requestAnimationFrame(resolve))
        const now = performance.now()
        took.push(now - before)
        before = now
      }
      return took
    },
    { frame, step },
  )
}
