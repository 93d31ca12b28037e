import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { buildConsoleOnce } from '../../../tools/build-console.js'
import { chromiumOptions } from '../../../tools/chromium.ts'
import { axeFindings, axeRules } from '../../api/test/axe.ts'
import { givenAdmin, walkAdminLogin } from '../../api/test/given.ts'
import { startWorld, type World } from '../../api/test/service.ts'

/** The real service with the built console, the simulated platform, and a browser. */
export interface ConsoleWorld {
  readonly world: World
  readonly url: string
  /** Opens a page in its own browser context. The administrator is a System Admin, unless `as` is set. */
  open(path: string, look?: Look): Promise<Visit>
  close(): Promise<void>
}

interface Look {
  readonly width?: number
  readonly colorScheme?: 'light' | 'dark'
  /** The ID of the signed-in member, or null without a sign-in. */
  readonly as?: string | null
  /** Changes the page before it opens. */
  readonly prepare?: (page: Page) => Promise<unknown>
}

export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  /** Waits until the page with this title has loaded its content. */
  settled(title: RegExp): Promise<void>
  /** @throws if the page violated its policy, contacted another origin, logged an error, or threw */
  expectQuiet(): void
  /** Returns the violations that axe finds on the page, one per line, of all rules or of some. */
  findings(rules?: keyof typeof axeRules): Promise<string[]>
  /** Returns the bytes of the console’s files as transferred with gzip. Waits until all have arrived. */
  transferred(): Promise<number>
  close(): Promise<void>
}

export async function startConsole(): Promise<ConsoleWorld> {
  await buildConsoleOnce()
  const world = await startWorld('pglite')
  world.service.deps.deliveries.start()
  const browser = await chromium.launch(chromiumOptions())
  const tokens = new Map<string, string>()
  const tokenOf = async (as: string | undefined) => {
    const known = tokens.get(as ?? '')
    if (known !== undefined) return known
    const token = as === undefined ? await givenAdmin(world) : await walkAdminLogin(world, as)
    tokens.set(as ?? '', token)
    return token
  }
  return {
    world,
    url: world.url,
    open: async (path, { width = 1280, colorScheme = 'light', as, prepare } = {}) => {
      const context = await newContext(browser, width, colorScheme)
      if (as !== null) {
        const value = await tokenOf(as)
        await context.addCookies([
          { name: 'svc_admin', value, domain: '127.0.0.1', path: '/api', httpOnly: true, sameSite: 'Strict' },
        ])
      }
      const page = await context.newPage()
      const transferred = await countBytes(page)
      const visit = { ...watch(context, page, [world.url, world.sim.url]), transferred }
      await prepare?.(page)
      await visit.page.goto(world.url + path)
      return visit
    },
    close: async () => {
      await browser.close()
      await world.close()
    },
  }
}

const newContext = async (browser: Browser, width: number, colorScheme: 'light' | 'dark') => {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await context.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ violatedDirective, sourceFile, lineNumber, sample }) =>
      console.error(`CSP: ${violatedDirective} at ${sourceFile}:${lineNumber} ${sample}`),
    )
  })
  return context
}

/**
 * Counts the bytes of the console's files as they arrive: its page, scripts, and styles, without the service's data.
 */
async function countBytes(page: Page): Promise<Visit['transferred']> {
  const devtools = await page.context().newCDPSession(page)
  const pending = new Set<string>()
  const own = new Set<string>()
  let bytes = 0
  devtools.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (!new URL(request.url).pathname.startsWith('/console')) return
    own.add(requestId)
    pending.add(requestId)
  })
  devtools.on('Network.dataReceived', ({ requestId, encodedDataLength }) => {
    if (own.has(requestId)) bytes += encodedDataLength
  })
  devtools.on('Network.loadingFinished', ({ requestId }) => pending.delete(requestId))
  devtools.on('Network.loadingFailed', ({ requestId }) => pending.delete(requestId))
  await devtools.send('Network.enable')
  await page.setExtraHTTPHeaders({ 'accept-encoding': 'gzip' })
  return async () => {
    await expect.poll(() => pending.size).toBe(0)
    return bytes
  }
}

function watch(context: BrowserContext, page: Page, origins: readonly string[]): Omit<Visit, 'transferred'> {
  const complaints: string[] = []
  page.on('console', (message) => {
    // The browser also logs rejected and lost requests, which the page shows.
    const isShown = /^Failed to load resource: (the server responded|net::)/.test(message.text())
    if (['error', 'warning'].includes(message.type()) && !isShown) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(`${error.stack}`))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith('data:') && !origins.some((origin) => url.startsWith(`${origin}/`)))
      complaints.push(`asked ${url}`)
  })
  return {
    page,
    context,
    settled: async (title) => {
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      await page.getByLabel('Loading').first().waitFor({ state: 'detached' })
    },
    expectQuiet: () => expect(complaints).toEqual([]),
    findings: (rules = 'all') => axeFindings(page, axeRules[rules]),
    close: () => context.close(),
  }
}
