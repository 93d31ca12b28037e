import { beforeAll, expect, test } from 'vitest'
import { administrationForTests, consoleForTests } from './console-for-tests.ts'
import { readMembers } from './pages.ts'

const at = consoleForTests()
const admin = administrationForTests(at)
beforeAll(async () => {
  await readMembers(admin, at.world)
}, 180_000)

test('a search field follows the address, and does not lose what is typed', async () => {
  const visit = await at.open('/console/members')
  const { page } = visit
  const field = page.getByLabel('Search members')
  await field.pressSequentially('ada.osei', { delay: 40 })
  await page.waitForURL('**/members?search=ada.osei')
  expect(await field.inputValue()).toBe('ada.osei')
  await page.getByRole('link', { name: 'Members', exact: true }).click()
  await page.waitForURL('**/members')
  await expect.poll(() => field.inputValue()).toBe('')
  await page.goBack()
  await expect.poll(() => field.inputValue()).toBe('ada.osei')
  await page.getByText('1 member', { exact: true }).waitFor()
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('an incomplete date keeps its filter, and a reversed period is refused at its fields', async () => {
  const visit = await at.open('/console/audit?from=2026-01-02T03:04')
  const { page } = visit
  const [from, to] = [page.getByLabel('From', { exact: true }), page.getByLabel('To', { exact: true })]
  await from.focus()
  await page.keyboard.press('Backspace')
  expect(await from.evaluate((one: HTMLInputElement) => one.validity.badInput)).toBe(true)
  await page.keyboard.type('02')
  await page.waitForURL('**/audit?from=2026-02-02T03%3A04')
  expect(await from.inputValue()).toBe('2026-02-02T03:04')

  const problem = page.getByText('“From” is after “To”. Change one of them to filter by time.')
  await to.fill('2026-01-01T00:00')
  await problem.waitFor()
  expect(await to.getAttribute('aria-invalid')).toBe('true')
  expect(new URL(page.url()).searchParams.has('to')).toBe(false)
  await from.fill('2025-12-31T00:00')
  await problem.waitFor({ state: 'detached' })
  await page.waitForURL('**/audit?from=2025-12-31T00%3A00&to=2026-01-01T00%3A00')

  await page.goto(`${at.url}/console/audit?from=2026-02-02T00:00&to=2026-01-01T00:00`)
  await problem.waitFor()
  expect(await page.getByText('Loading failed').count()).toBe(0)
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('the back button of the browser returns to the step before', async () => {
  const visit = await at.open('/console/projects/new')
  const { page } = visit
  await page.getByLabel('Name', { exact: true }).fill('Back and forth')
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('heading', { level: 2, name: 'Addresses' }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { level: 2, name: 'Basics' }).waitFor()
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Back and forth')
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('a page that does not exist, and text that is not a member ID, say so', async () => {
  const { project } = await admin.create({ name: 'Wrong numbers' })
  const visit = await at.open('/console/members?page=999')
  const { page } = visit
  await page.getByText('There is no page 999').waitFor()
  expect(await page.getByText('No members yet').count()).toBe(0)
  await page.getByRole('link', { name: 'Go to the first page' }).click()
  await page.getByRole('link', { name: /^Ada Osei/ }).waitFor()

  await page.goto(`${at.url}/console/projects/${project.id}/sessions?member=tomas`)
  await page.getByText(/That is not a valid member ID/).waitFor()
  await page.goto(`${at.url}/console/members/4808`)
  await page.getByText('Member ID must be a Discord ID').waitFor()
  await page.goto(`${at.url}/console/members?server=4808`)
  await page.getByText('Server ID must be a Discord ID').waitFor()
  visit.expectQuiet()
  await visit.close()
}, 60_000)
