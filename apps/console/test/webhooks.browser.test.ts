import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { givenAdministration } from '../../api/test/administration.ts'
import { consoleForTests } from './console-for-tests.ts'
import { makeShown, type Shown } from './pages.ts'

const at = consoleForTests()
let shown: Shown
beforeAll(async () => {
  shown = await makeShown(await givenAdministration(at.world), at.world)
}, 180_000)

const webhookPage = () => `/console/projects/${shown.projectId}/webhooks/${shown.webhookId}`

test('a payload is tried without being stored, each problem is named by its place, and the code sends it', async () => {
  const visit = await at.open(webhookPage())
  const { page } = visit
  await page.getByLabel('Payload', { exact: true }).fill('{"metres":"high","when":1}')
  await page.getByRole('button', { name: 'Try it' }).click()
  await page.getByText('Not valid: 1 problem').waitFor()
  const problems = page.getByRole('list', { name: 'Problems' }).getByRole('listitem')
  expect(await problems.allInnerTexts()).toEqual([expect.stringMatching(/^\/metres .*number/)])
  await page.getByLabel('Payload', { exact: true }).fill('{"metres":3}')
  expect(await problems.count()).toBe(0)
  await page.getByRole('button', { name: 'Try it' }).click()
  await page.getByText('This payload would be accepted.').waitFor()
  await page.getByText(`submit '{"metres":3}'`).waitFor()
  const { body } = await (await givenAdministration(at.world)).projects(
    'GET',
    `/${shown.projectId}/inbound-webhooks/${shown.webhookId}/submissions`,
  )
  expect(body.data).toHaveLength(1)
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('a schema that is being changed is tried before it is saved', async () => {
  const visit = await at.open(`/console/projects/${shown.projectId}/webhooks`)
  const { page } = visit
  const isFocused = (name: string) =>
    page.getByRole('form', { name }).evaluate((one) => one === document.activeElement)
  await page.getByRole('button', { name: 'New webhook' }).press('Enter')
  await expect.poll(() => isFocused('New webhook')).toBe(true)
  // The message about the missing name moves what is below it. The click must hit all the same.
  await page.getByLabel('Name').focus()
  await page.getByText('As plain text').click()
  expect(await page.getByLabel('As plain text').isChecked()).toBe(true)
  await page.getByText('Name is required').first().waitFor()
  await page.getByRole('button', { name: 'Cancel' }).press('Enter')
  await page.getByRole('button', { name: 'Change Tide reports' }).press('Enter')
  await expect.poll(() => isFocused('Change “Tide reports”')).toBe(true)
  await page.getByLabel('Schema').fill('{"type":"object","required":["place"]}')
  await page.getByText('Try a payload with this schema').click()
  await page.getByLabel('Payload', { exact: true }).fill('{"metres":3}')
  await page.getByRole('button', { name: 'Try it' }).click()
  await page.getByRole('list', { name: 'Problems' }).getByText('place').first().waitFor()
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('submissions are narrowed by when they came, and taken as a file', async () => {
  const visit = await at.open(`${webhookPage()}?to=2020-01-01T00:00`)
  const { page } = visit
  await page.getByText('No submissions in this period').waitFor()
  await page.getByLabel('To', { exact: true }).fill('')
  await page.getByText('"metres":2.4').first().waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export…' }).click()
  const file = await download
  expect(file.suggestedFilename()).toBe('tide-reports.csv')
  expect(await readFile(await file.path(), 'utf8')).toContain('at the mark below the lamp')
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('the webhooks of all projects are a place of their own, which leads to each', async () => {
  const visit = await at.open('/console/overview')
  const { page } = visit
  await visit.settled(/^Overview$/)
  await page.keyboard.press('g')
  await page.keyboard.press('w')
  await page.getByRole('heading', { level: 1, name: 'Inbound webhooks' }).waitFor()
  await page.getByLabel('Search webhooks and projects').fill('no such place')
  await page.getByText('No webhooks match').waitFor()
  await page.getByLabel('Search webhooks and projects').fill('harbour')
  await page.getByRole('link', { name: /^Tide reports/ }).click()
  await page.waitForURL(`**${webhookPage()}`)
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('what was typed just before the page is left does not follow to the next one', async () => {
  const visit = await at.open('/console/webhooks')
  const { page } = visit
  const link = page.getByRole('link', { name: /^Tide reports/ })
  await link.waitFor()
  // The file of the next page takes longer to load than the pause after typing.
  await page.route('**/console/assets/*.js', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 500))
    await route.continue()
  })
  await page.evaluate(() => {
    const field = document.querySelector<HTMLInputElement>('input[type=search]')
    const link = [...document.querySelectorAll('a')].find((one) =>
      one.textContent?.startsWith('Tide reports'),
    )
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, 'harbour')
    field?.dispatchEvent(new Event('input', { bubbles: true }))
    link?.click()
  })
  await page.getByLabel('Payload', { exact: true }).waitFor()
  await page.waitForURL(`**${webhookPage()}`)
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('what is wrong with a schema stands at its place as one types, by the service’s rules, and the keyboard leaves the editor', async () => {
  const visit = await at.open(`/console/projects/${shown.projectId}/webhooks`)
  const { page } = visit
  await page.getByRole('button', { name: 'Change Tide reports' }).click()
  const editor = page.getByRole('textbox', { name: 'Schema' })
  await editor.fill('{\n  "type": "object",\n  "properties": {\n    "metres": { "type": "metre" }\n  }\n}')
  const wrong = page.getByRole('list', { name: 'Schema problems' }).getByRole('listitem')
  await wrong.first().waitFor()
  expect(await wrong.allInnerTexts()).toEqual([expect.stringMatching(/^Line 4 \/properties\/metres\/type /)])
  expect(await visit.findings()).toEqual([])
  await wrong.getByRole('button', { name: 'Line 4' }).click()
  const isFocused = () => editor.evaluate((one) => (one.getRootNode() as ShadowRoot).activeElement === one)
  expect(await isFocused()).toBe(true)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  expect(await isFocused()).toBe(false)
  await editor.fill('{"type":"object","properties":{"metres":{"type":"number"}}}')
  await wrong.first().waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Save webhook' }).click()
  await page.getByText('“Tide reports” is saved.').waitFor()
  visit.expectQuiet()
  await visit.close()
}, 60_000)
