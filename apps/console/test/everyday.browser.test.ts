import { demo } from '@rolecall/chat-sim'
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { givenProject, givenSession } from '../../api/test/given.ts'
import { administrationForTests, consoleForTests } from './console-for-tests.ts'
import { makeShown } from './pages.ts'

const at = consoleForTests()
const admin = administrationForTests(at)
beforeAll(async () => {
  await makeShown(admin, at.world)
}, 180_000)

const { users, roles, mainGuildId } = demo

const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)
const hasFocus = (one: Locator) => one.evaluate((element) => element === document.activeElement)
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

test('access tells that an internal project uses the main server, and saves no scope while members cannot log in', async () => {
  const { project } = await admin.create({ name: 'Engine room', isInternal: true, serverAccess: [] })
  const name = `Mapped ${'very '.repeat(12)}long`
  const mapped = (await admin.create({ name, serverAccess: [{ serverId: mainGuildId }] })).project
  const visit = await at.open('/console/access')
  const { page } = visit
  const cell = (of: string, text: string) =>
    page.getByRole('button', { name: `${of} in Harbour Club: ${text}`, exact: true })
  await cell('Engine room', 'Main server (internal)').waitFor()
  const link = page.getByRole('link', { name })
  expect(await link.getAttribute('title')).toBe(name)
  expect(await link.evaluate((one) => one.scrollWidth > one.clientWidth)).toBe(true)

  await cell(name, 'sign in, members, checks').focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  const reads = dialog.getByLabel(/^Read members/)
  expect(await reads.isChecked()).toBe(true)
  await dialog.getByLabel(/^Members can sign in/).focus()
  await page.keyboard.press('Space')
  await dialog.getByText('none will be saved').waitFor()
  expect([await reads.isChecked(), await reads.isDisabled()]).toEqual([false, true])
  expect(await visit.findings()).toEqual([])
  // Turning sign-in on again restores the scopes, as long as the form was not saved without it.
  await page.keyboard.press('Space')
  expect(await reads.isChecked()).toBe(true)
  await page.keyboard.press('Space')
  await dialog.getByRole('button', { name: 'Save access' }).click()
  await cell(name, 'nothing').waitFor()
  const { body } = await admin.projects('GET', `/${mapped.id}/servers`)
  expect(body.data[0]).toMatchObject({ operations: { READ: false }, scopes: [] })

  await page.goto(`${at.url}/console/projects/${project.id}`)
  await page.getByText('Main server (internal)').waitFor()
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('access works on a phone, and the keyboard reaches the changes', async () => {
  await admin.create({ name: 'Phone booth', isInternal: true, serverAccess: [] })
  const visit = await at.open('/console/access?name=phone', { width: 390 })
  const { page } = visit
  const button = page.getByRole('button', {
    name: 'Phone booth in Harbour Club: Main server (internal)',
    exact: true,
  })
  await button.waitFor()
  const box = await button.boundingBox()
  expect(box && box.x + box.width).toBeLessThanOrEqual(390)
  const trail = page.getByRole('list', { name: 'Access changes' })
  await trail.focus()
  expect(await hasFocus(trail)).toBe(true)
  expect(await fits(page)).toBe(true)
  expect(await visit.findings()).toEqual([])
  await visit.close()
})

test('after a redirect URI is added, the empty field has the focus, and the addition is announced', async () => {
  const { project } = await admin.create({ name: 'Wiki' })
  const visit = await at.open(`/console/projects/${project.id}/redirects`, { width: 390 })
  const { page } = visit
  const field = page.getByLabel('New redirect URI')
  for (const uri of ['https://one.example/callback', 'https://two.example/callback']) {
    await field.fill(uri)
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText(`Redirect URI added: ${uri}`).waitFor()
    await page.getByRole('button', { name: `Remove ${uri}` }).waitFor()
    await expect.poll(() => field.inputValue()).toBe('')
    expect(await hasFocus(field)).toBe(true)
  }
  expect(await visit.findings()).toEqual([])
  visit.expectQuiet()
  await visit.close()
})

test('IDs of servers, roles, projects and members are copied where they are named', async () => {
  const { project } = await admin.create({ name: 'Chart plotter' })
  const visit = await at.open(`/console/servers/${mainGuildId}`)
  const { page } = visit
  const copy = async (where: Locator, id: string) => {
    await where.getByTitle(`Copy ${id}`).first().click()
    await expect.poll(() => clipboard(page)).toBe(id)
  }
  const list = page.getByRole('table', { name: 'Roles' })
  const captain = list.getByRole('row', { name: /^Captain/ })
  await copy(captain, roles.captain)
  await captain.getByText(/^#[0-9a-f]{6}$/).waitFor()
  await copy(page.getByRole('main'), mainGuildId)
  expect(await visit.findings()).toEqual([])
  await captain.getByRole('link', { name: '1 with Captain' }).click()
  await page.waitForURL(`**/console/members?server=${mainGuildId}&roles=${roles.captain}`)
  const counted = page.getByText(/^\d+ members?$/)
  await counted.waitFor()
  await page.goto(`${at.url}/console/servers`)
  await copy(page.getByRole('row', { name: /^Harbour Club/ }), mainGuildId)
  await page.goto(`${at.url}/console/projects?name=plotter`)
  await copy(page.getByRole('row', { name: /^Chart plotter/ }), project.id)
  await page.goto(`${at.url}/console/members?search=ada.o`)
  await copy(page.getByRole('row', { name: /^Ada/ }), users.ada)
  await page.goto(`${at.url}/console/members/${users.ada}`)
  await copy(page.getByRole('main'), users.ada)
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('durations are set in the units that people use', async () => {
  const visit = await at.open('/console/settings', { width: 390, colorScheme: 'dark' })
  const { page } = visit
  await visit.settled(/^Settings$/)
  expect(await page.getByText('Project access TTL').count()).toBe(0)
  const row = page.locator('.settings > div').filter({ hasText: 'Days for which the audit log is kept' })
  const unit = row.getByRole('combobox')
  expect(await unit.evaluate((one: HTMLSelectElement) => one.selectedOptions[0]?.text)).toBe('forever')
  await row.getByText('90 days to forever').waitFor()
  await unit.selectOption('days')
  const amount = row.getByRole('spinbutton')
  await amount.fill('30')
  await row.getByText('Must be from 90 days to forever').waitFor()
  await amount.fill('400')
  const ttl = page.getByLabel('Permission TTL', { exact: true })
  await page.getByLabel('Unit of Permission TTL').selectOption('minutes')
  await ttl.focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('60')
  expect(await page.getByLabel('Unit of Permission TTL').inputValue()).toBe('minute')
  expect(await visit.findings()).toEqual([])
  expect(await fits(page)).toBe(true)
  await page.getByRole('button', { name: 'Save settings' }).click()
  await page.getByText('The settings are saved.').waitFor()
  const current = at.world.service.deps.settings.current()
  expect([current.permissionTtlMs, current.auditDays]).toEqual([3_600_000, 400])
  await page.getByRole('button', { name: 'Reset…' }).click()
  await page.getByRole('button', { name: 'Reset settings' }).click()
  await page.getByText('All settings are reset to the environment.').waitFor()
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test.each([
  ['For 1 hour', 3_600_000],
  ['For 1 day', 86_400_000],
  ['For 1 week', 604_800_000],
])('a replaced key stays valid: %s', async (text, ms) => {
  const { project } = await admin.create({ name: `Keys ${ms}` })
  const visit = await at.open(`/console/projects/${project.id}/keys`, { width: 390 })
  const { page } = visit
  await page.getByRole('button', { name: 'Replace…' }).click()
  await page.getByLabel('The old key stays valid', { exact: true }).selectOption(text)
  expect(await visit.findings()).toEqual([])
  await page.getByRole('button', { name: 'Replace key' }).click()
  await page.getByRole('group', { name: 'API key', exact: true }).waitFor()
  const { body } = await admin.projects('GET', `/${project.id}/keys`)
  const old = body.data.find(({ status }: { status: string }) => status === 'replaced')
  expect(Math.abs(Date.parse(old.expiresAt) - Date.now() - ms)).toBeLessThan(60_000)
  visit.expectQuiet()
  await visit.close()
})

test('a replaced key stays valid until a time that is typed', async () => {
  const { project } = await admin.create({ name: 'Tide keys' })
  const visit = await at.open(`/console/projects/${project.id}/keys`)
  const { page } = visit
  await page.getByRole('button', { name: 'Replace…' }).click()
  await page.getByLabel('The old key stays valid', { exact: true }).selectOption('Until a set time')
  const until = page.getByLabel('The old key stays valid until')
  await until.fill('2020-01-01T10:00')
  await page.getByRole('button', { name: 'Replace key' }).click()
  await page.getByText('must be in the next 30 days').waitFor()
  await until.fill(new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 16))
  await page.getByRole('button', { name: 'Replace key' }).click()
  await page.getByRole('group', { name: 'API key', exact: true }).waitFor()
  visit.expectQuiet()
  await visit.close()
})

test('a form shows what it will store, and options of a sign-in that is off are disabled', async () => {
  const { project } = await admin.create({ name: 'Radio' })
  const visit = await at.open(`/console/projects/${project.id}/webhooks`)
  const { page } = visit
  await page.getByRole('button', { name: 'New webhook' }).click()
  expect(await page.getByLabel('Accepts submissions').isChecked()).toBe(true)
  await page.getByLabel('Name').fill('Closed')
  // The schema editor loads meanwhile, and moves the content below it.
  await page.getByLabel('Accepts submissions').press('Space')
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByText('inactive').waitFor()
  // Copies the secret. Otherwise, the page would ask for confirmation before it is left.
  await page.getByRole('group', { name: 'Signing secret' }).getByRole('button', { name: 'Copy' }).click()
  await page.getByText('Copied').waitFor()

  await page.locator('.tabs').getByRole('link', { name: 'OpenID Connect' }).click()
  const flow = page.getByLabel('Device flow')
  expect(await flow.isDisabled()).toBe(true)
  await page.getByLabel('The project is an OpenID Connect client').check()
  expect(await flow.isDisabled()).toBe(false)
  await page.getByRole('button', { name: 'Save OpenID Connect' }).click()
  await page.getByText('The OpenID Connect settings are saved.').waitFor()

  await page.locator('.tabs').getByRole('link', { name: 'Proxy' }).click()
  // The previous page has a field with the same name.
  await page.getByRole('heading', { name: 'Protected hosts' }).waitFor()
  const server = page.getByLabel('Server for sign-in')
  expect(await server.isDisabled()).toBe(true)
  await page.getByLabel('Hosts', { exact: true }).fill('wiki.example')
  expect(await server.isDisabled()).toBe(false)
  expect(await visit.findings()).toEqual([])
  visit.expectQuiet()
  page.on('dialog', (dialog) => dialog.accept())
  await visit.close()
}, 60_000)

test.each([
  [390, 'dark', 'Captain', roles.captain],
  [1280, 'light', 'Crew', roles.crew],
] as const)(
  'at %i pixels in %s: the member page answers at a glance',
  async (width, colorScheme, role, roleId) => {
    const project = await givenProject(at.world, { name: `Crew list ${width}` })
    await givenSession(at.world, project, users.kenji)
    const visit = await at.open(`/console/members/${users.kenji}`, { width, colorScheme })
    const { page } = visit
    const facts = page.getByRole('region', { name: 'Member', exact: true })
    for (const label of ['Username', 'Name', 'Nickname', 'Email', 'Joined', 'Last sign-in'])
      await facts.getByText(label, { exact: true }).waitFor()
    await facts.getByText(/, (now|\d+ sec\. ago|\d+ min\. ago)/).waitFor()
    const sessions = page.getByRole('list', { name: 'Current sessions' })
    await sessions.getByRole('link', { name: `Crew list ${width}` }).waitFor()
    const servers = page.getByRole('table', { name: 'Servers and roles' })
    await servers.locator('td[data-label="Roles as of"]').first().waitFor()
    const history = page.getByRole('table', { name: 'Last 30 days' })
    await history.getByText(`Signed in to Crew list ${width}`).waitFor()
    await history
      .getByRole('columnheader', { name: /, 20\d\d$/ })
      .first()
      .waitFor()
    at.world.sim.world.setRoles(mainGuildId, users.kenji, [roleId])
    await facts.getByRole('button', { name: 'Read again' }).click()
    await history.getByRole('row', { name: `Received ${role}` }).waitFor()
    await history.locator('bdi', { hasText: role }).first().waitFor()
    const access = page.getByRole('region', { name: 'Access' })
    await access.getByRole('button', { name: 'Block…' }).waitFor()
    await access.getByRole('button', { name: 'End all sessions…' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText(/1 member will be signed out/).waitFor()
    await page.getByRole('button', { name: 'End all sessions', exact: true }).click()
    await page.getByText('No current sessions.').waitFor()
    expect(await visit.findings()).toEqual([])
    expect(await fits(page)).toBe(true)
    visit.expectQuiet()
    await visit.close()
  },
)

test('a table sorts by mouse and keyboard, the address keeps it, and a phone shows every column as a card', async () => {
  for (const name of ['Sort b', 'Sort a', 'Sort c']) await admin.create({ name })
  const visit = await at.open('/console/projects?name=sort')
  const { page } = visit
  const names = () => page.locator('tbody .row-link').allInnerTexts()
  const column = page.getByRole('columnheader', { name: 'Name' })
  await column.getByRole('button').click()
  await expect.poll(names).toEqual(['Sort a', 'Sort b', 'Sort c'])
  expect(await column.getAttribute('aria-sort')).toBe('ascending')
  await page.keyboard.press('Enter')
  await expect.poll(names).toEqual(['Sort c', 'Sort b', 'Sort a'])
  expect(new URL(page.url()).searchParams.get('sort')).toBe('-name')
  await page.reload()
  await expect.poll(names).toEqual(['Sort c', 'Sort b', 'Sort a'])
  expect(await visit.findings()).toEqual([])

  await page.setViewportSize({ width: 390, height: 900 })
  const row = page.getByRole('row', { name: /^Sort b/ })
  for (const label of ['ID', 'Key last used', 'Created']) {
    const cell = row.locator(`td[data-label="${label}"]`)
    expect(await cell.isVisible()).toBe(true)
    expect(await cell.evaluate((one) => getComputedStyle(one, '::before').content)).toBe(`"${label}"`)
  }
  await column.getByRole('button').click()
  await expect.poll(names).not.toEqual(['Sort c', 'Sort b', 'Sort a'])
  expect(await fits(page)).toBe(true)
  expect(await visit.findings()).toEqual([])
  visit.expectQuiet()
  await visit.close()
})

test('a click on a role or a server filters the members', async () => {
  const visit = await at.open('/console/members?search=ada.o')
  const { page } = visit
  const row = page.getByRole('row', { name: /^Ada/ })
  await row.getByRole('link', { name: 'Harbour Club' }).click()
  await page.waitForURL(`**/console/members?search=ada.o&server=${mainGuildId}`)
  await page.getByRole('row', { name: /^Ada/ }).locator('a .chip').first().click()
  await page.waitForURL(/roles=\d+/)
  await page.getByText('1 member', { exact: true }).waitFor()
  visit.expectQuiet()
  await visit.close()
})

test('the audit log is narrowed by names and by clicks, grouped by day, with changes that can be compared', async () => {
  const { project } = await admin.create({ name: 'Signal station' })
  await admin.projects('PATCH', `/${project.id}`, { isActive: false })
  for (let made = 0; made < 25; made++) await admin.create({ name: `Flag ${made}` })
  const visit = await at.open('/console/audit')
  const { page } = visit
  await visit.settled(/^Audit$/)
  await page
    .getByRole('columnheader', { name: /, 20\d\d$/ })
    .first()
    .waitFor()
  const tops = await page
    .locator('tbody tr:not(.group)')
    .evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().bottom <= innerHeight).length)
  expect(tops).toBeGreaterThanOrEqual(20)
  expect(await visit.findings()).toEqual([])

  await page.getByLabel('Search entries').fill('PROJECT.UPDATE')
  await page.waitForURL('**/console/audit?text=PROJECT.UPDATE')
  await expect.poll(() => page.getByRole('row', { name: /Flag \d/ }).count()).toBe(0)
  await page
    .getByRole('row', { name: /Signal station/ })
    .first()
    .waitFor()
  await page.getByLabel('Search entries').fill('')
  await page.waitForURL((url) => !url.searchParams.has('text'))
  await page.getByLabel('Project, or any ID').fill('signal')
  await page.getByRole('option', { name: 'Signal station' }).click()
  await page.waitForURL(`**/console/audit?about=${project.id}`)
  await page.getByText('2 entries').first().waitFor()
  await page.locator('summary', { hasText: '1 change' }).click()
  await page.getByText('before yes').waitFor()
  await page.getByText('after no').waitFor()
  await page.getByRole('cell').getByRole('link', { name: /mara/ }).first().click()
  await page.waitForURL(new RegExp(`who=${users.mara}`))
  await expect.poll(() => page.getByLabel('Person').inputValue()).toMatch(/^Mara/)
  await page.getByLabel('Project, or any ID').fill('')
  await page.waitForURL((url) => !url.searchParams.has('about'))
  await page.getByLabel('Person').fill('ada')
  await page.getByRole('option', { name: /^Ada/ }).first().waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`who=${users.ada}`))
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('the audit log works on a phone', async () => {
  const visit = await at.open('/console/audit', { width: 390, colorScheme: 'dark' })
  const { page } = visit
  await visit.settled(/^Audit$/)
  await page.locator('td[data-label="Who"]').first().waitFor()
  expect(await fits(page)).toBe(true)
  expect(await visit.findings()).toEqual([])
  await visit.close()
})

test('a project that was created shows the code for Python, with its values', async () => {
  const visit = await at.open('/console/projects/new')
  const { page } = visit
  await page.getByLabel('Name').fill('Python log')
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByLabel('Redirect URIs').fill('https://log.example/auth/callback')
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('button', { name: 'Create project' }).click()
  await page.getByLabel('Python').check()
  const heads = page.locator('.code-head')
  await heads.filter({ hasText: 'app.py' }).waitFor()
  expect(await heads.allTextContents()).toEqual([
    expect.stringMatching(/^Install/),
    expect.stringMatching(/^Environment/),
    expect.stringMatching(/^app\.py/),
    expect.stringMatching(/^Start/),
  ])
  const environment = await page
    .locator('.code', { hasText: 'ROLECALL_CLIENT_ID=' })
    .locator('pre')
    .textContent()
  expect(environment).toContain(`ROLECALL_URL=${at.url}`)
  await page.getByText('from rolecall.fastapi import RolecallLogin').waitFor()
  expect(await visit.findings()).toEqual([])
  await page.setViewportSize({ width: 390, height: 900 })
  expect(await fits(page)).toBe(true)
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('a page without access, a missing record, and a refused form say so in words for people', async () => {
  const visit = await at.open('/console/projects')
  const { page } = visit
  await visit.settled(/^Projects$/)
  const refuse = (status: number, code: string, errors: readonly object[] = []) =>
    page.route(/\/api\/admin\/access|\/api\/admin\/projects\/access/, (route) =>
      route.fulfill({
        status,
        contentType: 'application/problem+json',
        body: JSON.stringify({
          type: 'about:blank',
          title: 'No.',
          status,
          detail: 'Correct the fields that `errors` lists',
          code,
          errors,
          requestId: 'r-1',
        }),
      }),
    )
  await refuse(403, 'NOT_SYSTEM_ADMIN')
  await page.getByRole('link', { name: 'Access', exact: true }).click()
  await page.getByText('You do not have access to this').first().waitFor()
  expect(await visit.findings()).toEqual([])
  await page.goto(`${at.url}/console/projects/00000000-0000-4000-8000-000000000000`)
  await page.getByText('Not found', { exact: true }).waitFor()
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' })
  expect(await crumbs.innerText()).toMatch(/^Projects\s*\/\s*Project$/)
  const guide = page.getByRole('link', { name: 'Guide' })
  expect(await guide.getAttribute('href')).toMatch(/docs\/guides\/administering\.(md|html)$/)
  await visit.close()
})
