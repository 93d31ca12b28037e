import { expect, test } from 'vitest'
import { consoleForTests } from './console-for-tests.ts'

const at = consoleForTests()
const address = '**/api/admin/members/export**'

test('an export without a connection says so, and the page stays', async () => {
  const visit = await at.open('/console/members')
  const { page } = visit
  await visit.settled(/^Members$/)
  await page.route(address, (route) => route.abort())
  await page.getByRole('button', { name: 'Export…' }).click()
  await page.getByRole('alert').filter({ hasText: 'The connection to Rolecall was lost.' }).waitFor()
  await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
  await page.unroute(address)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export…' }).click()
  await download
  expect(await page.getByText('The export failed').count()).toBe(0)
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('a double click on Export downloads one file, and a later click on Stop ends it', async () => {
  const visit = await at.open('/console/members')
  const { page } = visit
  await visit.settled(/^Members$/)
  let release = () => {}
  let count = 0
  await page.route(address, async (route) => {
    count++
    await new Promise<void>((resolve) => {
      release = resolve
    })
    return route.continue().catch(() => {})
  })
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export…' }).dblclick()
  await expect.poll(() => count).toBe(1)
  await page.getByRole('button', { name: 'Stop' }).waitFor()
  release()
  await download
  await page.getByRole('button', { name: 'Export…' }).click()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('button', { name: 'Export…' }).waitFor()
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('an export after the end of the session asks to sign in', async () => {
  const visit = await at.open('/console/members')
  const { page, context } = visit
  await visit.settled(/^Members$/)
  await context.clearCookies()
  await page.getByRole('button', { name: 'Export…' }).click()
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor({ timeout: 5_000 })
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('the audit log says how much of it a download contains', async () => {
  const visit = await at.open('/console/audit')
  const { page } = visit
  await page.getByRole('link', { name: 'Download CSV', exact: true }).waitFor()
  const answer = { data: [], total: 501, limit: 50, offset: 0, nextCursor: null }
  await page.route(/\/audit\/logs\?/, (route) => route.fulfill({ json: answer }))
  await page.reload()
  await page.getByRole('link', { name: 'Download newest 500 as CSV' }).waitFor()
  visit.expectQuiet()
  await visit.close()
}, 60_000)
