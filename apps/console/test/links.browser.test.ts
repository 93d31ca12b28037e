import type { AdminAnswer } from '@rolecall/sdk/admin'
import { beforeAll, expect, test } from 'vitest'
import { administrationForTests, consoleForTests } from './console-for-tests.ts'

const at = consoleForTests()
const admin = administrationForTests(at)
beforeAll(async () => {
  await admin.create({ name: 'Tide table' })
}, 180_000)

const attention: AdminAnswer<'listAttention'> = {
  data: [
    {
      code: 'QUEUE_OLD',
      severity: 'warning',
      title: 'A queue is not processed in time',
      detail: 'notices: the oldest job has waited for 2 hours.',
      subject: { type: 'queue', id: 'notices', name: 'notices' },
      since: '2026-01-05T10:00:00.000Z',
      mend: 'Look at the log.',
    },
  ],
  total: 1,
}

test.each([
  ['overview', 390, 'dark'],
  ['monitoring', 1280, 'light'],
  ['monitoring', 390, 'light'],
] as const)(
  'on %s at %i pixels in %s: a firing alert links to its runbook',
  async (name, width, colorScheme) => {
    const visit = await at.open('/console/about', { width, colorScheme })
    const { page } = visit
    await page.route('**/api/admin/attention', (route) => route.fulfill({ json: attention }))
    await page.goto(`${at.url}/console/${name}`)
    const link = page.getByRole('link', { name: /^Runbook.*A queue is not processed in time$/ })
    await link.waitFor()
    const address = (await link.getAttribute('href')) ?? ''
    expect(address).toMatch(/\/docs\/runbooks\/RolecallQueueStuck\.(md|html)$/)
    const guide = await page.getByRole('link', { name: 'Guide', exact: true }).getAttribute('href')
    // Both are in the same place: at this service if it serves the documentation, otherwise in the repository.
    expect(guide?.split('/docs/')[0]).toBe(address.split('/docs/')[0])
    if (address.startsWith('/')) expect((await fetch(at.url + address)).status).toBe(200)
    expect(await visit.findings()).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    visit.expectQuiet()
    await visit.close()
  },
)

test('a name cannot reorder or break the text around it, in content, in labels, and in what is announced', async () => {
  const visit = await at.open('/console/about')
  const { page } = visit
  const { body } = await admin.projects('GET', '')
  body.data[0].name = 'Tide\u202E elbat\u2066\u0007\n!'
  await page.route(/\/api\/admin\/projects(\?|$)/, (route) => route.fulfill({ json: body }))
  await page.goto(`${at.url}/console/access`)
  const link = page.getByRole('link', { name: 'Tide elbat !', exact: true })
  await link.waitFor()
  expect(await link.locator('bdi').count()).toBe(1)
  await page.getByRole('checkbox', { name: 'Select Tide elbat !', exact: true }).waitFor()
  expect(await page.content()).not.toMatch(/[\u202E\u2066]/)
  visit.expectQuiet()
  await visit.close()
})

test('the palette and a dialog lie over the page, whichever page was opened first', async () => {
  const visit = await at.open('/console/overview')
  const { page } = visit
  await visit.settled(/^Overview$/)
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Command palette' })
  await palette.waitFor()
  const overlay = page.locator('.overlay')
  expect(await overlay.evaluate((one) => getComputedStyle(one).position)).toBe('fixed')
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  expect(await overlay.evaluate((one) => getComputedStyle(one).position)).toBe('fixed')
  visit.expectQuiet()
  await visit.close()
})
