import { demo } from '@rolecall/chat-sim'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { removeRole } from '../../api/src/mirror/write-servers.ts'
import { call } from '../../api/test/client.ts'
import { administrationForTests, consoleForTests } from './console-for-tests.ts'

const at = consoleForTests()
/** Another administrator, who prepares what is on the screen, and changes it. */
const other = administrationForTests(at)

/** Clicks twice before the page can render, as the second click of a double click does on a page that is busy. */
const clickTwice = (button: Locator) =>
  button.evaluate((one: HTMLElement) => {
    one.click()
    one.click()
  })

/** Holds the response to the next change at this address until the returned function is called. */
async function holdChange(page: Page, address: string): Promise<() => void> {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(address, async (route) => {
    if (route.request().method() === 'GET') return route.continue()
    const response = await route.fetch()
    await held
    return route.fulfill({ response })
  })
  return release
}

test('an address for notices is kept while it is typed, and cleared once it is saved', async () => {
  const { id: webhookId, token } = at.world.sim.world.addWebhook(demo.mainGuildId)
  const address = `${at.world.sim.apiUrl}/webhooks/${webhookId}/${token}`
  const { project } = await other.create({ name: 'Notice mast', webhookUrl: address })
  const visit = await at.open(`/console/projects/${project.id}/events`)
  const { page } = visit
  const field = page.getByLabel('New webhook address')
  await field.fill(address)
  await other.projects('PATCH', `/${project.id}`, { webhookUrl: null })
  const first = page.getByLabel('Webhook address')
  await page.getByText('No address yet').waitFor()
  expect(await first.inputValue()).toBe(address)
  await other.projects('PATCH', `/${project.id}`, { webhookUrl: address })
  await field.waitFor()
  const save = page.getByRole('button', { name: 'Save webhook address' })
  await save.click()
  await page.getByText('Notices are posted to the new address.').waitFor()
  expect(await field.inputValue()).toBe('')
  expect(await save.isDisabled()).toBe(true)
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('what is typed while the settings are saved stays, and an error goes with the input', async () => {
  const visit = await at.open('/console/settings')
  const { page } = visit
  const webhooks = page.getByLabel('Max webhooks per project')
  const threshold = page.getByLabel('Member activity threshold', { exact: true })
  const save = page.getByRole('button', { name: 'Save settings' })
  await webhooks.fill('8')
  const release = await holdChange(page, '**/api/admin/settings')
  await save.click()
  await threshold.fill('13')
  release()
  await page.getByText('The settings are saved.').waitFor()
  expect(await threshold.inputValue()).toBe('13')
  await page.route('**/api/admin/settings', (route) =>
    route.request().method() === 'GET' ? route.continue() : route.fulfill({ status: 418, json: {} }),
  )
  await save.click()
  await page.getByRole('alert').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('alert').waitFor({ state: 'detached' })
  await visit.close()
  await call(at.url, 'POST', '/api/admin/settings/reset', { token: other.token })
}, 60_000)

test('a redirect URI that is typed while another is added stays, and a known one is not called new', async () => {
  const { project } = await other.create({ name: 'Return addresses' })
  const visit = await at.open(`/console/projects/${project.id}/redirects`)
  const { page } = visit
  const field = page.getByLabel('New redirect URI')
  const add = page.getByRole('button', { name: 'Add URI' })
  await field.fill('https://one.example/back')
  const release = await holdChange(page, `**/projects/${project.id}/redirect-uris`)
  await add.click()
  await field.fill('https://two.example/back')
  release()
  await page.getByText('Redirect URI added: https://one.example/back').waitFor()
  expect(await field.inputValue()).toBe('https://two.example/back')
  await add.click()
  await page.getByText('Redirect URI added: https://two.example/back').waitFor()
  expect(await field.inputValue()).toBe('')
  await page.getByRole('button', { name: 'Remove https://two.example/back' }).waitFor()
  await field.fill('https://one.example/back')
  await add.click()
  await page.getByText('The project already has this redirect URI: https://one.example/back').waitFor()
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('the address for events is removed with its secret on the screen', async () => {
  const { project } = await other.create({ name: 'Silent bell' })
  const visit = await at.open(`/console/projects/${project.id}/events`)
  const { page } = visit
  const save = page.getByRole('button', { name: 'Save address' })
  await page.getByLabel('Backend address').fill('https://bell.example/events')
  await save.click()
  await page.locator('.secret code').waitFor()
  await page.getByLabel('Backend address').fill('')
  await save.click()
  await page.getByText('The address is removed. Events are no longer sent.').waitFor()
  expect(await page.locator('.secret code').count()).toBe(0)
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('a signing secret is replaced once, and only after a question', async () => {
  const { project } = await other.create({ name: 'Sealed letters', eventsUrl: 'https://bell.example/events' })
  await other.projects('POST', `/${project.id}/inbound-webhooks`, { name: 'Seal', schema: {} })
  const visit = await at.open(`/console/projects/${project.id}/events`)
  const { page } = visit
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url())
  })
  const question = page.getByRole('alertdialog')
  await page.getByRole('button', { name: 'Replace secret' }).dblclick()
  await question.getByRole('button', { name: 'Replace secret' }).dblclick()
  await page.getByText('The old secret stays valid until').waitFor()
  await page.getByRole('group', { name: 'Signing secret' }).getByRole('button', { name: 'Copy' }).click()
  await page.locator('.tabs').getByRole('link', { name: 'Inbound webhooks' }).click()
  await page.getByRole('button', { name: 'Replace secret of Seal' }).click()
  await question.getByText('The old secret stops working immediately.').waitFor()
  expect(sent).toHaveLength(1)
  await clickTwice(question.getByRole('button', { name: 'Replace secret' }))
  await page.locator('.secret code').waitFor()
  await question.waitFor({ state: 'detached' })
  expect(sent).toHaveLength(2)
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('a button that is pressed twice at once makes its change once', async () => {
  const visit = await at.open(`/console/members/${demo.users.mara}`)
  const { page } = visit
  const read = page.getByRole('button', { name: 'Read again' })
  await clickTwice(read)
  await page.getByText('Read again from Discord.').waitFor()
  await expect.poll(() => read.getAttribute('aria-busy')).toBe(null)
  const entries = await call(at.url, 'GET', '/api/admin/audit/logs?search=member.refresh', {
    token: other.token,
  })
  expect(entries.body.data).toHaveLength(1)
  await read.click()
  await expect.poll(() => page.getByText('Read again from Discord.').count()).toBe(2)
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('a name that is taken is a problem of its field, and goes with the input', async () => {
  await other.create({ name: 'First of its name' })
  const { project } = await other.create({ name: 'Second of its name' })
  const visit = await at.open(`/console/projects/${project.id}/settings`)
  const { page } = visit
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  const problem = page.getByText('Name is already used by another project')
  await name.fill('First of its name')
  await page.getByRole('button', { name: 'Save project' }).click()
  await problem.waitFor()
  expect(await name.getAttribute('aria-invalid')).toBe('true')
  expect(await page.getByText('Something went wrong').count()).toBe(0)
  await name.fill('Third of its name')
  await problem.waitFor({ state: 'detached' })
  expect(await page.getByText('Something went wrong').count()).toBe(0)
  await name.fill('')
  await page.getByRole('button', { name: 'Save project' }).click()
  await page.getByText('Name is required').waitFor()
  page.once('dialog', (dialog) => dialog.accept())
  await page.goto(`${at.url}/console/projects/new`)
  await page.getByLabel('A bot or another backend').check()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('First of its name')
  for (const _ of [1, 2, 3]) await page.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('button', { name: 'Create project' }).click()
  await problem.waitFor()
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('a role that was deleted in Discord can be removed, and the roles of another server are not kept', async () => {
  const admin = (method: string, path: string, body?: object) =>
    call(at.url, method, `/api/admin${path}`, { token: other.token, ...(body && { body }) })
  const { quiet, crew } = demo.roles
  await admin('POST', '/servers', { id: demo.gamesGuildId })
  const forwardAuth = { hosts: ['quiet.example'], anyOf: [quiet, crew] }
  const { project } = await other.create({ name: 'Former role', owners: { roleIds: [quiet] }, forwardAuth })
  at.world.sim.world.deleteRole(demo.mainGuildId, quiet)
  await at.world.service.deps.db.transaction((tx) => removeRole(tx, demo.mainGuildId, quiet))
  const visit = await at.open(`/console/projects/${project.id}/settings`)
  const { page } = visit
  const deleted = page.getByLabel(`Deleted role ${quiet}`)
  await deleted.uncheck()
  await page.getByRole('button', { name: 'Save owners' }).click()
  await page.getByText('The owners are saved.').waitFor()
  await page.locator('.tabs').getByRole('link', { name: 'Proxy' }).click()
  await deleted.uncheck()
  await page.getByRole('textbox', { name: 'Hosts' }).fill('loud.example \n')
  await page.getByRole('button', { name: 'Save hosts' }).click()
  await page.getByText('The protected hosts are saved.').waitFor()
  const { body } = await other.projects('GET', `/${project.id}`)
  expect(body.forwardAuth).toMatchObject({ hosts: ['loud.example'], anyOf: [crew] })
  const server = page.getByLabel('Server for sign-in')
  const crewBox = page.getByLabel('Crew', { exact: true })
  await server.selectOption('Harbour Games')
  await page.getByLabel('Player').waitFor()
  expect(await page.getByLabel(/^Deleted role/).count()).toBe(0)
  await server.selectOption('The main server')
  await crewBox.waitFor()
  expect(await crewBox.isChecked()).toBe(true)
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('an auditor can edit no field of a project', async () => {
  const { project } = await other.create({ name: 'Read only' })
  const { body } = await call(at.url, 'GET', '/api/admin/profile', { token: other.token })
  const visit = await at.open(`/console/projects/${project.id}/settings`, {
    prepare: (page) =>
      page.route('**/api/admin/profile', (route) =>
        route.fulfill({ json: { ...body, isSystemAdmin: false, isAuditor: true } }),
      ),
  })
  const { page } = visit
  await page.getByRole('textbox', { name: 'Name', exact: true }).waitFor()
  const editable = page.locator('main form :is(input, textarea, select):enabled:not([type=search])')
  const tabs = { 'OpenID Connect': 'OpenID Connect', Proxy: 'Protected hosts', Events: 'Events' }
  for (const [tab, panel] of Object.entries(tabs)) {
    expect(await editable.count(), `before ${tab}`).toBe(0)
    await page.locator('.tabs').getByRole('link', { name: tab }).click()
    await page.getByRole('region', { name: panel, exact: true }).waitFor()
  }
  expect(await editable.count()).toBe(0)
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('Enter in the search for an owner does not save the owners', async () => {
  const { project } = await other.create({ name: 'Search for owners' })
  const visit = await at.open(`/console/projects/${project.id}/settings`)
  const { page } = visit
  const owners = page.getByRole('region', { name: 'Owners' })
  const changes: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') changes.push(request.url())
  })
  await owners.getByLabel('Crew', { exact: true }).check()
  await owners.getByLabel('Find a member to add').fill('mara')
  const add = owners.getByRole('button', { name: /^Add / })
  await add.waitFor()
  await owners.getByLabel('Find a member to add').press('Enter')
  await add.click()
  await owners.getByRole('button', { name: /^Remove / }).waitFor()
  expect(changes).toEqual([])
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('a project is deleted without a question about its unsaved form', async () => {
  const { project } = await other.create({ name: 'Unsaved and deleted' })
  const visit = await at.open(`/console/projects/${project.id}/settings`)
  const { page } = visit
  const questions: string[] = []
  page.on('dialog', (dialog) => {
    questions.push(dialog.message())
    void dialog.dismiss()
  })
  await page.getByRole('textbox', { name: 'Description' }).fill('Not saved')
  await page.getByRole('button', { name: 'Delete…' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByLabel(/to confirm/).fill(project.name)
  await dialog.getByRole('button', { name: 'Delete project' }).click()
  await page.getByText(`“${project.name}” is deleted.`).waitFor()
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor()
  expect(questions).toEqual([])
  visit.expectQuiet()
  await visit.close()
}, 60_000)
