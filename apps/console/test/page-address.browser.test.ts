import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Administration, givenAdministration } from '../../api/test/administration.ts'
import { readMembers } from './pages.ts'
import { type ConsoleWorld, startConsole } from './visit.ts'

let at: ConsoleWorld
let admin: Administration
beforeAll(async () => {
  at = await startConsole()
  admin = await givenAdministration(at.world)
  await readMembers(admin, at.world)
}, 180_000)
afterAll(() => at?.close())

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
