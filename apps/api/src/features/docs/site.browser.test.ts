import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildSiteOnce } from '../../../../../tools/site/build.js'
import { axeFindings, axeRules } from '../../../test/axe.ts'
import { browserForTests } from '../../../test/browser-for-tests.ts'
import { looks } from '../../../test/looks.ts'
import { loadTabIcon } from '../../../test/tab-icon.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

/** Folder for screenshots, if they are wanted. */
const pictures = process.env['SCREENSHOTS']

beforeAll(() => buildSiteOnce())
const world = worldForTests('pglite')
const browser = browserForTests()

interface Look {
  readonly width: number
  readonly colorScheme: 'light' | 'dark'
}

/** Opens a page of the site, and collects what the browser complains of and which other origins it asks. */
async function open(path: string, { width, colorScheme }: Look) {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== world.url) complaints.push(`asked ${request.url()}`)
  })
  await page.goto(`${world.url}/docs/${path}`, { waitUntil: 'load' })
  await page.waitForLoadState('networkidle')
  return { page, complaints }
}

const nameOf = (path: string) => path.replaceAll(/[/.]/g, '-') || 'start'
async function keepPicture(page: Page, name: string) {
  if (!pictures) return
  await mkdir(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`) })
}

/**
 * A page of each kind: lists, long tables, code, pictures, an endpoint, folded lists, a runbook, and the largest page.
 */
const sample = [
  '',
  'readme.html',
  'guides/stacks/express.html',
  'guides/running.html',
  'guides/backend.html',
  'guides/console.html',
  'concepts/glossary.html',
  'reference/api.html',
  'reference/api/exchangeCode.html',
  'reference/configuration.html',
  'reference/errors.html',
  'runbooks/RolecallDatabaseDown.html',
  'troubleshooting.html',
  'contributing.html',
]
describe('the documentation site in a browser', () => {
  test.each(sample)(
    '/docs/%s in four looks: breaks no policy, asks no other origin, fits the screen, and axe finds nothing',
    async (path) => {
      const { page, complaints } = await open(path, { width: 1280, colorScheme: 'light' })
      await loadTabIcon(page)
      for (const { width, colorScheme, rules } of looks) {
        await page.setViewportSize({ width, height: 900 })
        await page.emulateMedia({ colorScheme })
        // A script folds the menu when the page becomes narrow, as when it opens there.
        await page.locator(width === 390 ? '.menu:not([open])' : '.menu[open]').waitFor({ state: 'attached' })
        const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
        const seen = {
          overflow: Math.max(0, Number(overflow)),
          axe: await axeFindings(page, axeRules[rules]),
        }
        expect({ width, colorScheme, ...seen }).toEqual({ width, colorScheme, overflow: 0, axe: [] })
        await keepPicture(page, `${nameOf(path)}-${width}-${colorScheme}`)
      }
      expect(complaints).toEqual([])
      await page.close()
    },
  )

  test('axe finds what is planted', async () => {
    const { page } = await open('', { width: 1280, colorScheme: 'light' })
    await page.evaluate(`document.querySelector('main').append(document.createElement('img'))`)
    expect(await axeFindings(page, axeRules.all)).toEqual([expect.stringMatching(/^image-alt: /)])
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.evaluate(`document.querySelector('h1').style.color = '#333'`)
    expect(await axeFindings(page, axeRules.colors)).toEqual([expect.stringMatching(/^color-contrast: <h1/)])
    await page.close()
  })

  test.each(looks)(
    'the search opens by key, finds, and leads to a page at $width px, $colorScheme',
    async (look) => {
      const { page, complaints } = await open('guides/running.html', look)
      await page.keyboard.press('/')
      await page.getByRole('searchbox').fill('lost encryption key')
      const first = page.getByRole('dialog').getByRole('link').first()
      await first.waitFor()
      expect(await axeFindings(page, axeRules.all)).toEqual([])
      await keepPicture(page, `search-${look.width}-${look.colorScheme}`)
      await page.keyboard.press('ArrowDown')
      expect(await first.evaluate((link) => link === document.activeElement)).toBe(true)
      await page.keyboard.press('Enter')
      await page.waitForURL(`${world.url}/docs/troubleshooting.html#i-lost-the-encryption-key`)
      expect(complaints).toEqual([])
      await page.close()
    },
  )

  test('Enter in the search opens the first result, and Escape closes the search', async () => {
    const { page } = await open('', { width: 1280, colorScheme: 'light' })
    await page.getByRole('button', { name: 'Search' }).click()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('searchbox').fill('pgbouncer')
    await page.getByRole('dialog').getByRole('link').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/postgresql\.html|poolers\.html/)
    await page.close()
  })

  test('the console, the API pages, and the address without its slash lead to it', async () => {
    const answer = await fetch(`${world.url}/docs`, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs/'])
    expect(await (await fetch(`${world.url}/api/docs`)).text()).toContain('href="/docs/"')
    expect((await fetch(`${world.url}/docs/`)).headers.get('etag')).toMatch(/^"/)
  })

  test('without script the pages are complete, and offer no search', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${world.url}/docs/`)
    expect(await page.getByRole('button', { name: 'Search' }).count()).toBe(0)
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Tutorials' }).click()
    await page.getByRole('heading', { level: 1, name: 'Your first app' }).waitFor()
    await context.close()
  })
})
