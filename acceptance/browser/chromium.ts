import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { chromiumOptions } from '../../tools/chromium.ts'

/** Starts the system's Chromium, so that tests download no browser. */
export const launchChromium = (): Promise<Browser> => chromium.launch(chromiumOptions())

/**
 * Collects everything that goes wrong on the pages of a browser: console errors, violations of the
 * Content-Security-Policy, exceptions, and failed requests. The returned list grows.
 */
export function watchComplaints(context: BrowserContext): string[] {
  const complaints: string[] = []
  const watch = (page: Page) => {
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(`${page.url()}: ${message.text()}`)
    })
    page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.stack}`))
    page.on('requestfailed', (request) => {
      const why = request.failure()?.errorText ?? ''
      // Ignores requests that were aborted because the browser left the page.
      if (why !== 'net::ERR_ABORTED') complaints.push(`${request.url()}: ${why}`)
    })
  }
  for (const page of context.pages()) watch(page)
  context.on('page', watch)
  return complaints
}
