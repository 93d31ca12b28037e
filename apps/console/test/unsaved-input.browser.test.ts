import { demo } from '@rolecall/chat-sim'
import { expect, test } from 'vitest'
import { call } from '../../api/test/client.ts'
import { administrationForTests, consoleForTests } from './console-for-tests.ts'

const at = consoleForTests()
/** Another administrator, who changes what is on the screen. */
const other = administrationForTests(at)

test('a form keeps its input while another administrator changes the project, and updates its other fields', async () => {
  const { project } = await other.create({ name: 'Tide tables' })
  const visit = await at.open(`/console/projects/${project.id}/settings`)
  const { page } = visit
  await visit.settled(/^Tide tables$/)
  await page.getByLabel('Description').fill('High and low water')
  await page.getByLabel('Accent color', { exact: true }).fill('#0b57b7')
  await other.projects('PATCH', `/${project.id}`, { name: 'Tide almanac' })
  await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Tide almanac')
  expect(await page.getByLabel('Description').inputValue()).toBe('High and low water')
  await page.getByRole('button', { name: 'Save project' }).click()
  await page.getByText('The project is saved.').waitFor()
  await page.getByText('High and low water').first().waitFor()
  // The other form of the page has kept its input, too.
  await page.getByRole('button', { name: 'Save color' }).click()
  await page.getByText('The color is saved.').waitFor()
  const { body } = await other.projects('GET', `/${project.id}`)
  expect(body).toMatchObject({
    name: 'Tide almanac',
    description: 'High and low water',
    branding: { accentColor: '#0b57b7' },
  })
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('a save does not undo a change that the page has not received', async () => {
  const { project } = await other.create({ name: 'Offline harbour', isInternal: false })
  const visit = await at.open(`/console/projects/${project.id}/settings`, {
    prepare: (page) => page.route('**/api/admin/stream', () => {}),
  })
  const { page } = visit
  await visit.settled(/^Offline harbour$/)
  await page.getByLabel('Description').fill('No signal')
  await other.projects('PATCH', `/${project.id}`, { name: 'Heard harbour', isInternal: true })
  await page.getByRole('button', { name: 'Save project' }).click()
  await page.getByText('The project is saved.').waitFor()
  const { body } = await other.projects('GET', `/${project.id}`)
  expect(body).toMatchObject({ name: 'Heard harbour', isInternal: true, description: 'No signal' })
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('group names of two administrators are both saved', async () => {
  const { project } = await other.create({ name: 'Rigging plan' })
  const visit = await at.open(`/console/projects/${project.id}/sign-in`)
  const { page } = visit
  await visit.settled(/^Rigging plan$/)
  await page.getByLabel('Group name of Crew', { exact: true }).fill('riggers')
  const groupNames = { [demo.roles.captain]: 'masters' }
  await other.projects('PATCH', `/${project.id}`, { groupNames })
  const captain = page.getByLabel('Group name of Captain', { exact: true })
  await expect.poll(() => captain.inputValue()).toBe('masters')
  await page.getByRole('button', { name: 'Save groups' }).click()
  await page.getByText('The group names are saved.').waitFor()
  expect((await other.projects('GET', `/${project.id}`)).body.groupNames).toEqual({
    ...groupNames,
    [demo.roles.crew]: 'riggers',
  })
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('a saved change is confirmed even if the page shows it before the response arrives', async () => {
  const { project } = await other.create({ name: 'Slow harbour' })
  const visit = await at.open(`/console/projects/${project.id}/events`)
  const { page } = visit
  await visit.settled(/^Slow harbour$/)
  const address = 'https://discord.com/api/webhooks/100000000000000001/secret-of-the-harbour'
  await page.route(`**/api/admin/projects/${project.id}`, async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue()
    const response = await route.fetch()
    await page.getByLabel('New webhook address').waitFor()
    return route.fulfill({ response })
  })
  await page.getByLabel('Webhook address').fill(address)
  await page.getByRole('button', { name: 'Save webhook address' }).click()
  await page.getByText('Notices are posted to the new address.').waitFor()
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('the settings keep what is typed while another administrator changes others', async () => {
  const visit = await at.open('/console/settings')
  const { page } = visit
  await visit.settled(/^Settings$/)
  const typed = page.getByLabel('Max webhooks per project')
  await typed.fill('7')
  const body = { preferences: { memberActivityThresholdDays: 12 } }
  const reply = await call(at.url, 'PATCH', '/api/admin/settings', { token: other.token, body })
  expect(reply.status, reply.text).toBe(200)
  await expect
    .poll(() => page.getByLabel('Member activity threshold', { exact: true }).inputValue())
    .toBe('12')
  expect(await typed.inputValue()).toBe('7')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await page.getByText('The settings are saved.').waitFor()
  const { settings } = at.world.service.deps
  expect(settings.current()).toMatchObject({ maxWebhooksPerProject: 7, memberActivityThresholdDays: 12 })
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('an open schema follows another administrator until it is changed here', async () => {
  const { project } = await other.create({ name: 'Ebb reports' })
  const webhooks = `/${project.id}/inbound-webhooks`
  const { body: webhook } = await other.projects('POST', webhooks, {
    name: 'Ebb',
    schema: { type: 'object' },
  })
  const visit = await at.open(`/console/projects/${project.id}/webhooks`)
  const { page } = visit
  await page.getByRole('button', { name: 'Change Ebb' }).click()
  const schema = page.getByLabel('Schema', { exact: true })
  await schema.waitFor()
  const change = (required: string[]) =>
    other.projects('PATCH', `${webhooks}/${webhook.id}`, { schema: { type: 'object', required } })
  await change(['place'])
  await expect.poll(() => schema.textContent()).toContain('place')
  await schema.fill('{"type":"object","required":["metres"]}')
  await change(['time'])
  await page.getByLabel('Name', { exact: true }).fill('Ebb and flow')
  await page.getByRole('button', { name: 'Save webhook' }).click()
  await page.getByRole('button', { name: 'Change Ebb and flow' }).waitFor()
  const stored = await other.projects('GET', `${webhooks}/${webhook.id}`)
  expect(stored.body).toMatchObject({ name: 'Ebb and flow', schema: { required: ['metres'] } })
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('two forms with unsaved input ask once whether to leave, and a filter of the page does not ask', async () => {
  const { project } = await other.create({ name: 'Two forms' })
  const visit = await at.open(`/console/projects/${project.id}/events`)
  const { page } = visit
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.message())
    void dialog.accept()
  })
  await page.getByLabel('Backend address').fill('https://harbour.example/events')
  await page.getByLabel('Webhook address').fill('https://discord.com/api/webhooks/1')
  await page.getByLabel('State').first().selectOption('failed')
  await expect.poll(() => page.url()).toContain('failed')
  expect(await page.getByLabel('Backend address').inputValue()).toBe('https://harbour.example/events')
  expect(asked).toEqual([])
  await page.getByRole('link', { name: 'Keys' }).click()
  await page.getByRole('button', { name: 'Add key…' }).waitFor()
  expect(asked).toEqual(['Leave without saving? Your changes will be lost.'])
  visit.expectQuiet()
  await visit.close()
}, 60_000)
