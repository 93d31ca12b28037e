import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { chromiumOptions } from '../../tools/chromium.ts'

/** Starts the system's Chromium, so that tests download no browser. */
export const launchChromium = (): Promise<Browser> => chromium.launch(chromiumOptions())

/** Collects all complaints of a page: console errors, policy violations, exceptions, failed requests. */
export function watchComplaints(context: BrowserContext): string[] {
  const complaints: string[] = []
  const watch = (page: Page) => {
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(`${page.url()}: ${message.text()}`)
    })
    page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.stack}`))
    page.on('requestfailed', (request) => {
      const why = request.failure()?.errorText ?? ''
      // Leaving a page aborts its open requests.
      if (why !== 'net::ERR_ABORTED') complaints.push(`${request.url()}: ${why}`)
    })
  }
  for (const page of context.pages()) watch(page)
  context.on('page', watch)
  return complaints
}
