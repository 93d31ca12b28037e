import { expect, test } from 'vitest'
import { administrationForTests, consoleForTests } from './console-for-tests.ts'

const at = consoleForTests()
const admin = administrationForTests(at)

/** Opens a project with a new key that is shown once, and counts the questions that the page asks. */
const showKey = async (name: string, prepare?: () => void) => {
  const { project } = await admin.create({ name })
  const visit = await at.open(`/console/projects/${project.id}/keys`, {
    prepare: async (page) => prepare && page.addInitScript(prepare),
  })
  const { page } = visit
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(`${dialog.type()}: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.getByRole('button', { name: 'Add key…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add key' }).click()
  const secret = page.getByRole('group', { name: 'API key', exact: true })
  await secret.waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  return { visit, page, secret, asked, leave: () => page.getByRole('link', { name: 'Members' }).click() }
}

test('a key that is shown once stays until it was copied, or the question is answered', async () => {
  const { visit, page, secret, asked, leave } = await showKey('Buoy keys')
  await leave()
  expect(asked).toEqual(['confirm: Leave without copying? The secret is not shown again.'])
  await page.evaluate(() => location.reload())
  await expect.poll(() => asked[1]).toMatch(/^beforeunload/)
  await secret.getByRole('button', { name: 'Copy' }).click()
  await secret.getByText('Copied').waitFor()
  await leave()
  await visit.settled(/^Members$/)
  expect(asked).toHaveLength(2)
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('another secret does not replace one that may not be copied yet', async () => {
  const { visit, page, secret } = await showKey('Twin beacons')
  const first = await secret.locator('code').innerText()
  await page.getByRole('button', { name: 'Add key…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add key' }).click()
  await expect.poll(() => secret.count()).toBe(2)
  expect(await secret.locator('code').allInnerTexts()).toContain(first)
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('a key that was copied by hand asks nothing', async () => {
  const { visit, page, secret, asked, leave } = await showKey('Beacon keys')
  await secret.locator('code').click()
  await page.keyboard.press('ControlOrMeta+c')
  await leave()
  await visit.settled(/^Members$/)
  expect(asked).toEqual([])
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('a copy that fails says so, and selects the text', async () => {
  const { visit, page, secret } = await showKey('Deaf clipboard', () => {
    navigator.clipboard.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'))
  })
  await secret.getByRole('button', { name: 'Copy' }).click()
  await secret.getByText('Copying failed. The text is selected, so that you can copy it yourself.').waitFor()
  const selected = () => page.evaluate(() => String(getSelection()))
  expect(await selected()).toBe(await secret.locator('code').textContent())
  const short = page.getByRole('button', { name: /^[0-9a-f-]{36}/ }).first()
  await short.click()
  await short.getByText('Copying failed. The text is selected, so that you can copy it yourself.').waitFor()
  expect(await selected()).toMatch(/^[0-9a-f-]{36}$/)
  visit.expectQuiet()
  await visit.close()
}, 60_000)
