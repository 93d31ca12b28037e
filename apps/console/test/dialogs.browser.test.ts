import { demo } from '@rolecall/chat-sim'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { givenProject, givenSession } from '../../api/test/given.ts'
import { administrationForTests, consoleForTests } from './console-for-tests.ts'

const at = consoleForTests()
const admin = administrationForTests(at)

/** Holds the requests of this method, without those of a dry run. Returns a function that fails them. */
async function holdRequests(page: Page, method: string): Promise<() => void> {
  let fail = () => {}
  const held = new Promise<void>((resolve) => {
    fail = resolve
  })
  await page.route('**/api/admin/**', async (route) => {
    const request = route.request()
    if (request.method() !== method || request.url().includes('dryRun')) return route.fallback()
    await held
    const body = { type: 'about:blank', title: 'Broken.', status: 500, code: 'INTERNAL_ERROR', errors: [] }
    return route.fulfill({ status: 500, contentType: 'application/problem+json', body: JSON.stringify(body) })
  })
  return fail
}

test.each([
  ['Revoke key', 'DELETE', /^Revoke rck_/],
  ['Add key', 'POST', 'Add key…'],
  ['Replace key', 'POST', 'Replace…'],
])(
  'a dialog cannot be closed while its action runs, so its failure is shown: %s',
  async (action, method, opener) => {
    const { project } = await admin.create({ name: `Moorings: ${action}` })
    const visit = await at.open(`/console/projects/${project.id}/keys`)
    const { page } = visit
    const fail = await holdRequests(page, method)
    await page.getByRole('button', { name: opener }).click()
    const dialog = page.locator('.dialog')
    await dialog.waitFor()
    if (method === 'DELETE') await dialog.getByRole('textbox').fill(project.name)
    await dialog.getByRole('button', { name: action }).click()
    await dialog.locator('[aria-busy="true"]').waitFor()
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true)
    fail()
    await dialog.getByRole('alert').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    visit.expectQuiet()
    await visit.close()
  },
  60_000,
)

test('a click outside keeps a dialog with a form, and closes one without', async () => {
  await givenSession(at.world, await givenProject(at.world), demo.users.joon)
  const visit = await at.open(`/console/members/${demo.users.joon}`)
  const { page } = visit
  await page.getByRole('button', { name: 'Block…' }).click()
  const dialog = page.locator('.dialog')
  await dialog.getByLabel('Reason').fill('A long story')
  await page.mouse.click(5, 5)
  expect(await dialog.getByLabel('Reason').inputValue()).toBe('A long story')
  // The dialog takes the focus back in the next frame.
  await expect.poll(() => dialog.evaluate((one) => one.contains(document.activeElement))).toBe(true)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.keyboard.press('?')
  await dialog.waitFor()
  await page.mouse.click(5, 5)
  await dialog.waitFor({ state: 'detached' })
  visit.expectQuiet()
  await visit.close()
}, 60_000)
