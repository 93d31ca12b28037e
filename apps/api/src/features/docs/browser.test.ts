import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { browserForTests } from '../../../test/browser-for-tests.ts'
import { loadTabIcon } from '../../../test/tab-icon.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

/** The folder for screenshots, if you want any. */
const pictures = process.env['SCREENSHOTS']

const world = worldForTests('pglite')
const browser = browserForTests()

const looks = [1280, 390].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
)
const cases = ['/api/docs', '/api/docs/errors'].flatMap((path) => looks.map((look) => ({ path, ...look })))

test.each(cases)(
  '$path at $width px, $colorScheme: logs no complaint, asks no other host, fits the screen',
  async ({ path, width, colorScheme }) => {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
    const complaints: string[] = []
    const elsewhere: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => {
      if (!/^data:/.test(request.url()) && new URL(request.url()).origin !== world.url) {
        elsewhere.push(request.url())
      }
    })
    // The network is idle while a large page is still parsed.
    await page.goto(world.url + path, { waitUntil: 'load' })
    await page.waitForLoadState('networkidle')
    await loadTabIcon(page)
    const { font, overflow, broken } = await page.evaluate(() => ({
      font: getComputedStyle(document.body).fontFamily,
      overflow: document.documentElement.scrollWidth - window.innerWidth,
      // A link to another part of a page must have a target.
      broken: [...document.querySelectorAll('a[href^="#"]')]
        .map((link) => link.getAttribute('href') ?? '')
        .filter((href) => !document.getElementById(href.slice(1))),
    }))
    expect({ complaints, elsewhere, overflow: Math.max(0, overflow), broken }).toEqual({
      complaints: [],
      elsewhere: [],
      overflow: 0,
      broken: [],
    })
    // Our own policy did not reject our own style.
    expect(font).toContain('system-ui')
    if (pictures) {
      mkdirSync(pictures, { recursive: true })
      const name = `${path.slice(5).replace('/', '-')}-${width}-${colorScheme}.png`
      await page.screenshot({
        path: join(pictures, name),
        clip: { x: 0, y: 0, width, height: 4000 },
        fullPage: true,
      })
    }
    await page.close()
  },
)

test('the index opens and leads to an endpoint by keyboard alone, without script', async () => {
  const context = await browser.newContext({ javaScriptEnabled: false })
  const page = await context.newPage()
  await page.goto(`${world.url}/api/docs`)
  const summary = page.locator('#index summary').filter({ hasText: 'Sessions' })
  const link = page.locator('#index').getByRole('link', { name: 'POST/api/auth/token', exact: true })
  expect(await link.isVisible()).toBe(false)
  await summary.focus()
  await page.keyboard.press('Enter')
  await link.waitFor()
  // The chapter's links follow its summary.
  for (let tabs = 0; tabs < 30 && !page.url().endsWith('#exchangeCode'); tabs++) {
    await page.keyboard.press('Tab')
    if (await page.locator('#index a[href="#exchangeCode"]:focus-visible').count()) {
      await page.keyboard.press('Enter')
      await page.waitForURL(`${world.url}/api/docs#exchangeCode`)
    }
  }
  expect(page.url()).toBe(`${world.url}/api/docs#exchangeCode`)
  await context.close()
})

test('the page of an endpoint leads to its refusals, and back', async () => {
  const page = await browser.newPage()
  await page.goto(`${world.url}/api/docs#exchangeCode`)
  await page.locator('#exchangeCode').getByRole('link', { name: 'INVALID_CODE' }).click()
  await page.waitForURL(`${world.url}/api/docs/errors#INVALID_CODE`)
  await page.locator('#INVALID_CODE').getByRole('link', { name: 'POST /api/auth/token', exact: true }).click()
  await page.waitForURL(`${world.url}/api/docs#exchangeCode`)
  await page.close()
})
