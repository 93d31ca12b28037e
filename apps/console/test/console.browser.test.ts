import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { givenAdministration } from '../../api/test/administration.ts'
import { call } from '../../api/test/client.ts'
import { looks } from '../../api/test/looks.ts'
import { consoleForTests } from './console-for-tests.ts'
import { maxFirstLoadBytes, readManifest } from './first-load.ts'
import { makeShown, pages, type Shown } from './pages.ts'
import type { Visit } from './visit.ts'

/** The folder for screenshots. Without it, none are taken. */
const pictures = process.env['SCREENSHOTS']

const at = consoleForTests()
let shown: Shown
beforeAll(async () => {
  shown = await makeShown(await givenAdministration(at.world), at.world)
}, 180_000)

test.each(
  pages.map((page, number) => ({ ...page, number, address: page.path({ projectId: '…', webhookId: '…' }) })),
)(
  '$address in four looks: loads at most 150 kB, breaks no policy, asks no other host, fits the screen, and axe finds nothing',
  async ({ path, title, number }) => {
    const visit = await at.open(`/console${path(shown)}`)
    const { page } = visit
    await visit.settled(title)
    const bytes = await visit.transferred()
    expect(bytes).toBeGreaterThan(80_000)
    expect(bytes).toBeLessThanOrEqual(maxFirstLoadBytes)
    const seen = []
    // No script of the console asks for the width (`widths.test.ts`), so a page that was resized is the page that opens in
    // that width.
    for (const { width, colorScheme, rules } of looks) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      if (pictures) await shoot(visit, `${number}-${width}-${colorScheme}`)
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      )
      const findings = await visit.findings(rules)
      seen.push({ width, colorScheme, rules, overflow: Math.max(0, overflow), findings })
    }
    visit.expectQuiet()
    await visit.close()
    expect(seen).toEqual(looks.map((look) => ({ ...look, overflow: 0, findings: [] })))
  },
)

test('a page that loads a large file is found', async () => {
  const editor = readManifest()['src/features/projects/schema-editor.tsx']?.file
  const prepare = (page: Page) =>
    page.route('**/console/about', async (route) => {
      const response = await route.fetch()
      const script = `<script type="module" src="/console/${editor}"></script></head>`
      await route.fulfill({ response, body: (await response.text()).replace('</head>', script) })
    })
  const visit = await at.open('/console/about', { prepare })
  await visit.settled(/^About$/)
  expect(await visit.transferred()).toBeGreaterThan(maxFirstLoadBytes)
  await visit.close()
})

test('the validator loads when a form is first touched, and its messages appear', async () => {
  const visit = await at.open('/console/projects/new')
  const { page } = visit
  await visit.settled(/^New project$/)
  const before = await visit.transferred()
  await page.getByLabel('Name').focus()
  await page.keyboard.press('Tab')
  await page.getByText('Name is required').waitFor()
  expect((await visit.transferred()) - before).toBeGreaterThan(10_000)
  visit.expectQuiet()
  await visit.close()
})

async function shoot({ page }: Visit, name: string) {
  if (!pictures) return
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
}

describe('logging in', () => {
  test('leads through the platform to the very page that was asked for, and leaves no code in the address', async () => {
    const visit = await at.open('/console/projects?name=harbour', { as: null })
    const { page } = visit
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Mara Lind' }).click()
    await page.getByRole('button', { name: 'Authorize' }).click()
    await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor()
    await page.getByRole('link', { name: 'Harbour log' }).waitFor()
    expect(page.url()).toBe(`${at.url}/console/projects?name=harbour`)
    visit.expectQuiet()
    await visit.close()
  })

  test('the session of a working admin continues with a new pair, which no page notices', async () => {
    const visit = await at.open('/console/projects', { as: null })
    const { page, context } = visit
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Mara Lind' }).click()
    await page.getByRole('button', { name: 'Authorize' }).click()
    await page.getByRole('link', { name: 'Harbour log' }).waitFor()
    const pair = async () => {
      const cookies = await context.cookies(`${at.url}/api/auth/token/refresh`)
      return cookies.filter(({ name }) => name.startsWith('svc_admin')).map(({ value }) => value)
    }
    const before = await pair()
    expect(before).toHaveLength(2)
    await page.clock.install()
    await page.reload()
    await page.getByRole('link', { name: 'Harbour log' }).waitFor()
    // The administrator is inactive, so the pair is not replaced.
    await page.clock.fastForward(61_000)
    expect(await pair()).toEqual(before)
    await page.keyboard.press('j')
    await page.clock.fastForward(61_000)
    await expect.poll(pair).not.toEqual(before)
    const former = await call(at.url, 'GET', '/api/admin/profile', { token: before[0] ?? '' })
    expect(former.status).toBe(401)
    await page.getByRole('link', { name: 'Members' }).click()
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
    expect(await page.getByRole('heading', { name: 'Your session has ended' }).count()).toBe(0)
    // Half of the lifetime is not over, so the pair is not replaced every minute.
    const after = await pair()
    await page.keyboard.press('j')
    await page.clock.fastForward(61_000)
    expect(await pair()).toEqual(after)
    await visit.close()
  })

  test('a session that ended is replaced in another tab, and what was typed into a form is still there', async () => {
    const visit = await at.open('/console/projects/new')
    const { page, context } = visit
    await page.getByLabel('Name').fill('Tide table')
    await page.getByRole('button', { name: 'Next' }).click()
    await context.clearCookies()
    // The next step sends a request to the service.
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor()
    const opening = context.waitForEvent('page')
    await page.getByRole('link', { name: 'Sign in' }).click()
    const tab = await opening
    await tab.getByRole('button', { name: 'Mara Lind' }).click()
    await tab.getByRole('button', { name: 'Authorize' }).click()
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor({ state: 'detached' })
    await page.getByRole('heading', { level: 1, name: 'New project' }).waitFor()
    await page.getByRole('heading', { level: 2, name: 'Servers' }).waitFor()
    await page.getByRole('button', { name: 'Back' }).click()
    await page.getByRole('button', { name: 'Back' }).click()
    expect(await page.getByLabel('Name').inputValue()).toBe('Tide table')
    await visit.close()
  })

  test('a member who is no administrator reads why, and can try another account', async () => {
    const visit = await at.open('/console/', { as: null })
    await visit.page.route('**/api/admin/profile', (route) =>
      route.fulfill({
        status: 403,
        contentType: 'application/problem+json',
        body: JSON.stringify({
          type: 'about:blank',
          title: 'System Admin access is required.',
          status: 403,
          detail: 'Ask for the role.',
          code: 'NOT_SYSTEM_ADMIN',
          requestId: 'r-1',
        }),
      }),
    )
    await visit.page.reload()
    await visit.page.getByRole('heading', { name: 'You are not an administrator' }).waitFor()
    await visit.page.getByRole('button', { name: 'Sign out' }).waitFor()
    await visit.close()
  })
})

test('a service that cannot answer is shown as such, and the page heals by itself', async () => {
  const visit = await at.open('/console/projects')
  const { page } = visit
  await page.getByRole('link', { name: 'Harbour log' }).waitFor()
  await page.route('**/api/admin/**', (route) => route.abort())
  await page.getByLabel('State').selectOption('active')
  await page.getByText('Rolecall cannot be reached.').waitFor()
  await page.unroute('**/api/admin/**')
  await page.getByText('Rolecall cannot be reached.').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Crew shop' }).waitFor()
  await visit.close()
})

test('a page whose file does not come says so, and opens by itself once it does', async () => {
  const visit = await at.open('/console/projects')
  const { page } = visit
  await page.getByRole('link', { name: 'Harbour log' }).waitFor()
  await page.route(/\/console\//, (route) => route.abort())
  await page.getByRole('link', { name: 'Monitoring' }).click()
  await page.getByRole('heading', { level: 1, name: 'This page failed to load' }).waitFor()
  await page.unroute(/\/console\//)
  await page.getByRole('heading', { level: 1, name: 'Monitoring' }).waitFor()
  await visit.close()
})

test('a file that was fetched ahead and is gone takes nothing from the page that is read', async () => {
  const visit = await at.open('/console/projects/new')
  const { page } = visit
  await page.getByLabel('Name').fill('Tide table')
  await page.evaluate(() => Object.assign(globalThis, { isSame: true }))
  // The state after a release, which has other files.
  await page.route(/\/console\/assets\//, (route) => route.fulfill({ status: 404 }))
  const gone = page.waitForResponse((response) => response.status() === 404)
  await page.getByRole('link', { name: 'Monitoring' }).hover()
  await gone
  await page.getByLabel('Name').press('End')
  expect(await page.evaluate(() => 'isSame' in globalThis)).toBe(true)
  expect(await page.getByLabel('Name').inputValue()).toBe('Tide table')
  await page.unroute(/\/console\/assets\//)
  await page.getByRole('link', { name: 'Monitoring' }).click()
  await page.getByRole('heading', { level: 1, name: 'Monitoring' }).waitFor()
  await visit.close()
})
