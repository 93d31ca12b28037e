import { expect, test } from 'vitest'
import { administrationForTests, consoleForTests } from './console-for-tests.ts'

const at = consoleForTests()
/** Another administrator, who changes the keys that are on the screen. */
const other = administrationForTests(at)

const openKeys = async (name: string) => {
  const { project } = await other.create({ name })
  const visit = await at.open(`/console/projects/${project.id}/keys`)
  await visit.page.getByRole('button', { name: 'Replace…' }).waitFor()
  const statuses = async (): Promise<string[]> =>
    (await other.projects('GET', `/${project.id}/keys`)).body.data.map(
      ({ status }: { status: string }) => status,
    )
  return { visit, page: visit.page, project, statuses }
}

test('a key that another administrator adds is not replaced by a dialog that shows the key before it', async () => {
  const { visit, page, project, statuses } = await openKeys('Signal lamps')
  await page.getByRole('button', { name: 'Replace…' }).click()
  const dialog = page.getByRole('dialog', { name: /^Replace the key rck_\w+…$/ })
  const shown = await dialog.getByRole('heading').textContent()
  await dialog.getByLabel('The old key stays valid').selectOption('Not at all')
  const { body: added } = await other.projects('POST', `/${project.id}/keys`)
  expect(shown).not.toContain(added.prefix)
  await page.getByText(`${added.prefix}…`).waitFor()
  await dialog.getByRole('button', { name: 'Replace key' }).click()
  await dialog.getByText('API_KEY_NOT_NEWEST').waitFor()
  expect(await statuses()).toEqual(['active', 'active'])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Replace…' }).click()
  await page.getByRole('heading', { name: `Replace the key ${added.prefix}…` }).waitFor()
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('only the named key is restored, not one that was revoked since', async () => {
  const { visit, page, project, statuses } = await openKeys('Fog horns')
  await other.projects('DELETE', `/${project.id}/key`)
  const restore = page.getByRole('button', { name: /^Restore key rck_\w+$/ })
  await restore.waitFor()
  // From here on, the page receives no changes.
  await page.route('**/api/admin/**', (route) =>
    route.request().method() === 'GET' ? route.abort() : route.continue(),
  )
  const { body: leaked } = await other.projects('POST', `/${project.id}/keys`)
  await other.projects('DELETE', `/${project.id}/keys/${leaked.id}`)
  await restore.click()
  await page.getByText('API_KEY_NOT_NEWEST').waitFor()
  expect(await statuses()).toEqual(['revoked', 'revoked'])
  await visit.close()
}, 60_000)
