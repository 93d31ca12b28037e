import { demo } from '@rolecall/chat-sim'
import { expect, test } from 'vitest'
import { administrationForTests, consoleForTests } from './console-for-tests.ts'

const at = consoleForTests()
/** Another administrator, who changes what is on the screen. */
const other = administrationForTests(at)

test('the access editor follows what is stored, saves only what was changed, and says that access was revoked', async () => {
  const serverAccess = [{ serverId: demo.mainGuildId }]
  const { project } = await other.create({ name: 'Lighthouse log', serverAccess })
  const access = `/${project.id}/servers/${demo.mainGuildId}`
  const visit = await at.open('/console/access')
  const { page } = visit
  const cell = page.getByRole('button', { name: /^Lighthouse log in Harbour Club/ })
  await cell.click()
  await other.projects('PUT', access, { scopes: [] })
  const reads = page.getByLabel(/^Read members/)
  await expect.poll(() => reads.isChecked()).toBe(false)
  await page.getByLabel(/^Posts a notice/).check()
  await page.getByRole('button', { name: 'Save access' }).click()
  await page.getByText('access saved').waitFor()
  const stored = async () => (await other.projects('GET', `/${project.id}/servers`)).body.data
  expect(await stored()).toMatchObject([{ scopes: [], operations: { READ: true, SEND_MESSAGES: true } }])

  await cell.click()
  await other.projects('DELETE', access)
  await page.getByText('This access was revoked').waitFor()
  await page.getByRole('button', { name: 'Grant access' }).waitFor()
  expect(await page.getByRole('button', { name: 'Save access' }).count()).toBe(0)
  expect(await stored()).toEqual([])
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('saving access does not undo a change that the page has not received', async () => {
  const serverAccess = [{ serverId: demo.mainGuildId }]
  const { project } = await other.create({ name: 'Offline lighthouse', serverAccess })
  const visit = await at.open('/console/access', {
    prepare: (page) => page.route('**/api/admin/stream', () => {}),
  })
  const { page } = visit
  await page.getByRole('button', { name: /^Offline lighthouse in Harbour Club/ }).click()
  await other.projects('PUT', `/${project.id}/servers/${demo.mainGuildId}`, { scopes: [] })
  await page.getByLabel(/^Posts a notice/).check()
  await page.getByRole('button', { name: 'Save access' }).click()
  await page.getByText('access saved').waitFor()
  const { body } = await other.projects('GET', `/${project.id}/servers`)
  expect(body.data).toMatchObject([{ scopes: [], operations: { SEND_MESSAGES: true } }])
  await visit.close()
}, 60_000)

test('access that was revoked is not granted again with more rights than were shown', async () => {
  const { project } = await other.create({ name: 'Closed lighthouse', serverAccess: [] })
  const access = `/${project.id}/servers/${demo.mainGuildId}`
  await other.projects('PUT', access, { operations: { READ: false, MANAGE_WEBHOOKS: true }, scopes: [] })
  const visit = await at.open('/console/access', {
    prepare: (page) => page.route('**/api/admin/stream', () => {}),
  })
  const { page } = visit
  await page.getByRole('button', { name: /^Closed lighthouse in Harbour Club/ }).click()
  await other.projects('DELETE', access)
  await page.getByLabel(/^Posts a notice/).check()
  await page.getByRole('button', { name: 'Save access' }).click()
  await page.getByText('access saved').waitFor()
  const { body } = await other.projects('GET', `/${project.id}/servers`)
  const operations = { READ: false, MANAGE_WEBHOOKS: true, SEND_MESSAGES: true }
  expect(body.data).toMatchObject([{ scopes: [], operations }])
  await visit.close()
}, 60_000)

test('a lost response of a change says that the change may have been made', async () => {
  const { project } = await other.create({ name: 'Lost letters' })
  const visit = await at.open(`/console/projects/${project.id}/settings`)
  const { page } = visit
  await page.route(`**/api/admin/projects/${project.id}`, (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  )
  await page.getByLabel('Description').fill('Sent twice')
  await page.getByRole('button', { name: 'Save project' }).click()
  await page
    .getByRole('alert')
    .getByText(
      'No response from Rolecall. The change may have been made anyway. Reload the page, and check before you try again.',
    )
    .waitFor()
  await visit.close()
}, 60_000)

test('relative times move while the page stays open', async () => {
  const { project } = await other.create({ name: 'Slow clock' })
  const visit = await at.open(`/console/projects/${project.id}/keys`, {
    prepare: (page) => page.clock.install(),
  })
  const { page } = visit
  const age = page.locator('tbody tr').first().locator('time').last()
  await expect.poll(() => age.innerText()).toMatch(/sec|now/)
  await page.clock.fastForward(30_000)
  await expect.poll(() => age.innerText()).toMatch(/^[34]\d sec/)
  await page.clock.fastForward(2 * 3_600_000)
  await expect.poll(() => age.innerText()).toBe('2 hr. ago')
  await visit.close()
}, 60_000)

test('a project that another administrator deletes leaves the screen', async () => {
  const { project } = await other.create({ name: 'Sunken ship' })
  const visit = await at.open(`/console/projects/${project.id}/settings`)
  const { page } = visit
  await visit.settled(/^Sunken ship$/)
  await other.projects('DELETE', `/${project.id}`)
  await page.getByText('Not found', { exact: true }).waitFor()
  expect(await page.getByText('Active', { exact: true }).count()).toBe(0)
  expect(await page.getByRole('navigation', { name: 'Sunken ship' }).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Save project' }).count()).toBe(0)
  await visit.close()
}, 60_000)

test('an administrator whose role is taken away is told so', async () => {
  const visit = await at.open('/console/members')
  const { page } = visit
  await visit.settled(/^Members$/)
  const refusal = { status: 403, title: 'No.', code: 'NOT_SYSTEM_ADMIN', detail: 'The role is missing.' }
  await page.route('**/api/admin/**', (route) =>
    route.fulfill({ status: 403, contentType: 'application/problem+json', body: JSON.stringify(refusal) }),
  )
  await page.getByRole('link', { name: 'Projects', exact: true }).click()
  await page.getByRole('heading', { name: 'You are not an administrator' }).waitFor()
  expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(0)
  await visit.close()
}, 60_000)

test('what both administrators delete is called deleted', async () => {
  const { project } = await other.create({ name: 'Twice gone' })
  const { body: webhook } = await other.projects('POST', `/${project.id}/inbound-webhooks`, {
    name: 'Buoy',
    schema: { type: 'object' },
  })
  const visit = await at.open(`/console/projects/${project.id}/webhooks`, {
    prepare: (page) => page.route('**/api/admin/stream', () => {}),
  })
  const { page } = visit
  await page.getByRole('button', { name: 'Delete Buoy' }).click()
  await page.getByLabel(/to confirm/).fill('Buoy')
  await page.getByRole('list', { name: 'Effects' }).waitFor()
  await other.projects('DELETE', `/${project.id}/inbound-webhooks/${webhook.id}`)
  await page.getByRole('button', { name: 'Delete webhook' }).click()
  await page.getByText('This webhook does not exist. It may have been deleted.').waitFor()
  await visit.close()
}, 60_000)

test('a page that explains an unknown account stays as it is while it is refetched', async () => {
  const visit = await at.open('/console/members/123456789012345678/why')
  const { page } = visit
  const trial = page.getByRole('heading', { name: 'Checks' })
  await trial.waitFor()
  await trial.evaluate((heading) => heading.setAttribute('data-kept', ''))
  const refetched = page.waitForResponse(/members\/123456789012345678\/servers/)
  await page.evaluate(() => new BroadcastChannel('rolecall-live').postMessage('reset'))
  await refetched
  await page.waitForTimeout(300)
  expect(await trial.getAttribute('data-kept')).toBe('')
  visit.expectQuiet()
  await visit.close()
}, 60_000)
