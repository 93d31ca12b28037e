import { demo } from '@rolecall/chat-sim'
import { expect, test } from 'vitest'
import { sql } from '../../api/src/platform/db/sql.ts'
import { call } from '../../api/test/client.ts'
import { givenProject, validate } from '../../api/test/given.ts'
import { startLogoutReceiver } from '../../api/test/logout-receiver.ts'
import { givenClient, logIn } from '../../api/test/oidc.ts'
import { administrationForTests, consoleForTests } from './console-for-tests.ts'

const at = consoleForTests()
const admin = administrationForTests(at)

test('what another administrator does shows by itself, in two tabs that have one stream, with what changed', async () => {
  const visit = await at.open('/console/audit')
  const other = await visit.context.newPage()
  const streams: string[] = []
  for (const page of [visit.page, other])
    page.on('request', (request) => {
      if (request.url().endsWith('/api/admin/stream')) streams.push(request.url())
    })
  await visit.settled(/^Audit$/)
  await other.goto(`${at.url}/console/audit?severity=info`)
  await other.getByRole('heading', { level: 1, name: 'Audit' }).waitFor()
  const { project } = await admin.create({ name: 'Lighthouse' })
  await admin.projects('PATCH', `/${project.id}`, { description: 'At the pier' })
  for (const page of [visit.page, other]) {
    const entry = page.getByRole('row', { name: /Lighthouse.* (changed|updated)/ }).first()
    await entry.waitFor({ timeout: 20_000 })
    await entry.locator('summary').click()
    await entry.getByText('At the pier').waitFor()
  }
  expect(streams.length).toBeLessThanOrEqual(1)
  visit.expectQuiet()
  await visit.close()
})

test('a stream that goes silent is said to be paused while the rows stay, and goes on once it is heard again', async () => {
  await admin.create({ name: 'Signal mast' })
  const visit = await at.open('/api/docs')
  const { page } = visit
  await page.clock.install()
  await page.route('**/api/admin/stream', () => {})
  await page.goto(`${at.url}/console/projects`)
  await page.getByRole('link', { name: 'Signal mast' }).waitFor()
  const paused = page.getByText('Live updates paused.')
  await page.clock.fastForward(20_000)
  expect(await paused.count()).toBe(0)
  await page.clock.fastForward(15_000)
  await paused.waitFor()
  await page.getByRole('link', { name: 'Signal mast' }).waitFor()
  await page.unroute('**/api/admin/stream')
  await page.clock.fastForward(20_000)
  await paused.waitFor({ state: 'detached' })
  await visit.close()
}, 60_000)

test('logouts that a client was told of are listed by how far they have come, and told again', async () => {
  const receiver = await startLogoutReceiver()
  const project = await givenClient(at.world, {
    name: 'Chart wiki',
    oidc: { backchannelLogoutUri: receiver.uri },
  })
  await logIn(at.world, project)
  const body = { memberId: demo.users.ada }
  await call(at.url, 'POST', '/api/auth/logout-all', { key: project.key, body })
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(1)
  const visit = await at.open(`/console/projects/${project.id}/sign-in?logouts=delivered`)
  const logouts = visit.page.getByRole('region', { name: 'Logouts sent' })
  await logouts.getByRole('row', { name: new RegExp(`${demo.users.ada}.*delivered`) }).waitFor()
  expect(await visit.findings()).toEqual([])
  await logouts.getByRole('button', { name: `Send again: the logout of ${demo.users.ada}` }).click()
  await visit.page.getByText('Sending again.').waitFor()
  await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(2)
  await logouts.getByLabel('State').selectOption('failed')
  await logouts.getByText('No logouts sent').waitFor()
  visit.expectQuiet()
  await visit.close()
  await receiver.close()
}, 60_000)

test('roles get group names by keyboard, at 390 px, and a bad name is explained in its row', async () => {
  const { project } = await admin.create({ name: 'Tide tables' })
  const visit = await at.open(`/console/projects/${project.id}/sign-in`, { width: 390 })
  const { page } = visit
  await visit.settled(/^Tide tables$/)
  const groups = page.getByRole('region', { name: 'Groups' })
  const crew = groups.getByLabel('Group name of Crew', { exact: true })
  await crew.waitFor()
  await crew.focus()
  await page.keyboard.type('wiki-editors ')
  await page.keyboard.press('Enter')
  await groups
    .getByRole('alert')
    .filter({ hasText: /^Group name must be visible text/ })
    .waitFor()
  expect(await crew.getAttribute('aria-invalid')).toBe('true')
  await crew.focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Backspace')
  const only = groups.getByLabel('Only named groups')
  for (let i = 0; i < 20 && !(await only.evaluate((one) => one === document.activeElement)); i++)
    await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  expect(await visit.findings()).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.keyboard.press('Enter')
  await page.getByText('The group names are saved.').waitFor()
  const stored = await admin.projects('GET', `/${project.id}`)
  expect(stored.body).toMatchObject({
    groupNames: { [demo.roles.crew]: 'wiki-editors' },
    onlyNamedGroups: true,
  })
  await crew.fill('')
  await groups.getByRole('button', { name: 'Save groups' }).click()
  await expect.poll(async () => (await admin.projects('GET', `/${project.id}`)).body.groupNames).toBeNull()
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('the log is filtered by its target, and its chain is checked on request', async () => {
  const { project } = await admin.create({ name: 'Boat house' })
  const visit = await at.open(`/console/audit?about=${project.id}`)
  const { page } = visit
  await visit.settled(/^Audit$/)
  await page.getByText('1 entry').first().waitFor()
  await page.getByRole('button', { name: /^Check (now|again)$/ }).click()
  await page.getByText('The log is intact').waitFor({ timeout: 30_000 })
  await visit.close()
})

test('problems that need attention are at the top with their fix, and gone once they are fixed', async () => {
  const { project } = await admin.create({ name: 'Harbour radio' })
  const { db } = at.world.service.deps
  await db.execute(sql`
    insert into event_endpoints (project_id, url, disabled_at) values (${project.id}, 'https://radio.invalid/', clock_now())`)
  const visit = await at.open('/console/')
  const { page } = visit
  await visit.settled(/^Overview$/)
  const needs = page.getByRole('region', { name: 'Needs attention' })
  await needs.getByText('Event delivery to a project is disabled', { exact: true }).waitFor()
  await needs.getByText(/Fix the receiver/).waitFor()
  await db.execute(sql`delete from event_endpoints`)
  // Makes any change, after which the screen refetches its data.
  await admin.create()
  await needs.waitFor({ state: 'detached', timeout: 30_000 })
  await page.getByText('Nothing needs your attention.').waitFor()
  await visit.close()
})

test('a setting is changed within its bounds, and reset', async () => {
  const visit = await at.open('/console/settings')
  const { page } = visit
  await visit.settled(/^Settings$/)
  const field = page.getByLabel('Max webhooks per project')
  await field.fill('101')
  await page.getByText('Must be a whole number from 1 to 100').waitFor()
  expect(await page.getByRole('button', { name: 'Save settings' }).isDisabled()).toBe(true)
  await field.fill('7')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await page.getByText('The settings are saved.').waitFor()
  const setting = page.locator('.settings > div').filter({ has: field })
  await setting.getByText('Set here').waitFor()
  await setting.getByText(/overrides 10 from MAX_WEBHOOKS_PER_PROJECT .*Changed .* by mara\.lind\./).waitFor()
  expect(at.world.service.deps.settings.current().maxWebhooksPerProject).toBe(7)
  await page.getByRole('button', { name: 'Reset…' }).click()
  await page.getByRole('button', { name: 'Reset settings' }).click()
  await expect.poll(() => field.inputValue()).toBe('10')
  await setting.getByText('Default').waitFor()
  await visit.close()
})

test('the settings fit a phone, also with a change that is not saved', async () => {
  const visit = await at.open('/console/settings', { width: 390, colorScheme: 'dark' })
  const { page } = visit
  await visit.settled(/^Settings$/)
  await page.getByLabel('Max webhooks per project').fill('7')
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.waitFor()
  const tooWide = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  expect(tooWide).toBeLessThanOrEqual(0)
  await visit.close()
})

test('how long answers take is told by endpoint and by project, and what waits in each queue', async () => {
  const project = await givenProject(at.world, { name: 'Fog horn' })
  await validate(at.world, project, 'rcs_unknown')
  await at.world.service.recorder.flush()
  const visit = await at.open('/console/monitoring')
  const { page } = visit
  await visit.settled(/^Monitoring$/)
  const latency = page.getByRole('region', { name: 'Response time' })
  const filter = page.getByLabel('Project', { exact: true })
  await filter.selectOption({ label: 'Fog horn' })
  await latency.getByRole('row', { name: /^POST \/api\/auth\/validate 1 .* 100 % 0 %$/ }).waitFor()
  const glance = page.getByRole('region', { name: 'At a glance' })
  await glance.getByText('100 %').waitFor()
  await glance.getByText('Waiting in queues').waitFor()
  await filter.selectOption('')
  await latency.getByLabel('Rows').selectOption('project')
  await latency.getByRole('row', { name: /^Fog horn 1 / }).waitFor()
  const queues = page.getByRole('region', { name: 'Queues' })
  await queues.getByRole('row', { name: /^notifications / }).waitFor()
  await visit.close()
})
