import { expect, test } from 'vitest'
import { administrationForTests, consoleForTests } from './console-for-tests.ts'

const at = consoleForTests()
const admin = administrationForTests(at)

test('Back returns to the page of a list before, and Forward to the next one', async () => {
  const { project } = await admin.create({ name: 'Ship’s log' })
  for (let number = 1; number <= 110; number++)
    await admin.projects('PATCH', `/${project.id}`, { description: `Entry ${number}` })
  const visit = await at.open(`/console/projects/${project.id}`)
  const { page } = visit
  await page.getByRole('link', { name: 'Audit' }).last().click()
  const rows = page.getByRole('table', { name: 'Changes to this project' }).getByRole('row')
  const older = page.getByRole('button', { name: 'Older' })
  await expect.poll(() => rows.count()).toBe(51)
  const first = page.url()
  await older.click()
  await expect.poll(() => page.url()).not.toBe(first)
  const second = page.url()
  await older.click()
  await expect.poll(() => page.url()).not.toBe(second)
  await page.goBack()
  await expect.poll(() => page.url()).toBe(second)
  await page.goBack()
  await expect.poll(() => page.url()).toBe(first)
  await page.goForward()
  await expect.poll(() => page.url()).toBe(second)
  visit.expectQuiet()
  await visit.close()
}, 60_000)
