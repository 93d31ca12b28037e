import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

/** Starts the system's Chromium, so that tests download no browser. */
export const launchChromium = (): Promise<Browser> => chromium.launch(chromiumOptions())

/** Returns the options of the launch. */
export function chromiumOptions() {
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const candidates = names.flatMap((name) => folders.map((folder) => join(folder, name)))
  const executablePath = candidates.find(existsSync)
  if (!executablePath) throw new Error(`None of ${names.join(', ')} is on the PATH.`)
  return {
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  }
}

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
