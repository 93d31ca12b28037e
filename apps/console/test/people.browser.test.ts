import { demo } from '@rolecall/chat-sim'
import { beforeAll, expect, test } from 'vitest'
import { givenAdministration } from '../../api/test/administration.ts'
import { authorizePath, givenProject, givenSession, validate, walkLogin } from '../../api/test/given.ts'
import { rulesOf } from '../src/forms/rules.ts'
import { consoleForTests } from './console-for-tests.ts'
import { makeShown } from './pages.ts'

const at = consoleForTests()
beforeAll(async () => {
  await makeShown(await givenAdministration(at.world), at.world)
}, 180_000)

const { users, roles, mainGuildId } = demo

test('members are found as one types, by server and by role, and the address says which', async () => {
  const visit = await at.open('/console/members')
  const { page } = visit
  await page.getByLabel('Search members').fill('ADA.O')
  await page.getByText('1 member', { exact: true }).waitFor()
  expect(new URL(page.url()).searchParams.get('search')).toBe('ADA.O')
  await page.getByLabel('Search members').fill('')
  await page.getByLabel('Server').selectOption(mainGuildId)
  await page.getByRole('button', { name: 'Captain', exact: true }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('roles')).toBe(roles.captain)
  await page.getByRole('link', { name: /^Joon/ }).waitFor()
  expect(await page.getByRole('link', { name: /^Ada/ }).count()).toBe(0)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export…' }).click()
  expect((await download).suggestedFilename()).toBe('members.csv')
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('the palette finds members by a part of their name, and a member, a project or a key by what is pasted', async () => {
  const { id, key } = await givenProject(at.world, { name: 'Chart room' })
  const visit = await at.open('/console/about')
  const { page } = visit
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const goTo = async (typed: string, name: RegExp) => {
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.insertText(typed)
    await page.getByRole('menuitem', { name }).click()
  }
  await goTo('ada.o', /^Ada/)
  await page.waitForURL(`**/console/members/${users.ada}`)
  await goTo(users.joon, /^Joon/)
  await page.waitForURL(`**/console/members/${users.joon}`)
  const stranger = '900000000000000001'
  await goTo(stranger, /^Why can’t 900000000000000001 sign in/)
  await page.getByText(`${stranger} cannot sign in`).first().waitFor()
  await goTo(id, /^Chart room/)
  await page.waitForURL(`**/console/projects/${id}`)
  await goTo(key, /of Chart room/)
  await page.waitForURL(`**/console/projects/${id}/keys`)
  // The page sends only the visible prefix of a key.
  expect(asked.filter((url) => url.includes(key.slice(0, 16)))).toEqual([])
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('a login that was refused is in the list of those turned away, and leads to why; so does an id that is typed', async () => {
  const { id } = await givenProject(at.world, { name: 'Log book' })
  await walkLogin(at.world, authorizePath(id), { as: users.emil })
  await at.world.service.recorder.flush()
  const visit = await at.open('/console/monitoring?failures=memberId')
  const { page } = visit
  await page.getByText('not a member', { exact: true }).waitFor()
  await page.getByRole('link', { name: /^Why Emil.* was refused$/ }).click()
  await page
    .getByText(/^Emil.* cannot sign in$/)
    .first()
    .waitFor()
  await page.goto(`${at.url}/console/members?search=${users.emil}`)
  await page.getByRole('link', { name: 'Why can’t this account sign in?' }).click()
  await page.waitForURL(`**/console/members/${users.emil}/why`)
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('a refused person is found on Overview, in the member list, and with Ctrl K, each with a link to the reason', async () => {
  const { id } = await givenProject(at.world, { name: 'Tide tables' })
  await walkLogin(at.world, authorizePath(id), { as: users.emil })
  const visit = await at.open('/console/')
  const { page } = visit
  const atWhy = async () => {
    await page.waitForURL(`**/console/members/${users.emil}/why?project=${id}&server=${mainGuildId}`)
    // The failed check comes first, with its fix. The others are collapsed.
    await page
      .getByRole('list', { name: 'Checks', exact: true })
      .getByText(/is not a member of the server/)
      .waitFor()
    await page
      .getByText(/^\d+ checks passed$/)
      .first()
      .waitFor()
  }
  const card = page.getByRole('table', { name: 'Recently refused' })
  await card.getByRole('row', { name: /^Emil Strand Tide tables Not a member of the server/ }).click()
  await atWhy()
  await page.goto(`${at.url}/console/members?search=emil`)
  const people = page.getByRole('table', { name: 'Refused sign-ins' })
  await people
    .getByRole('row', { name: /Emil Strand.*Not a member/ })
    .getByRole('link', { name: /^Why/ })
    .click()
  await atWhy()
  // The palette is loaded when it first opens. Keys that are typed in the meantime are not lost.
  await page.route('**/palette-*.js', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 500))
    await route.continue()
  })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('emil')
  await expect.poll(() => page.getByRole('dialog').getByRole('searchbox').inputValue()).toBe('emil')
  await page.getByRole('menuitem', { name: /^Emil Strand \(emil\.strand\)/ }).click()
  await atWhy()
  expect(await visit.findings()).toEqual([])
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('the reasons for access are a readable list, and a change can be tried without being made', async () => {
  const { id } = await givenProject(at.world, { name: 'Pilot book' })
  const { projects } = await givenAdministration(at.world)
  const changed = await projects('PATCH', `/${id}`, {
    oidc: { enabled: true },
    forwardAuth: { hosts: ['book.example'] },
  })
  expect(changed.status, changed.text).toBe(200)
  const visit = await at.open(`/console/members/${users.ada}/why?project=${id}`)
  const { page } = visit
  await page
    .getByText(/can sign in$/)
    .first()
    .waitFor()
  await page
    .getByText(/^\d+ checks passed$/)
    .first()
    .click()
  expect(
    await page.getByRole('list', { name: 'Checks that passed', exact: true }).getByRole('listitem').count(),
  ).toBeGreaterThan(5)
  await page.getByLabel('They have left the server').check()
  await page
    .getByText(/could not sign in$/)
    .first()
    .waitFor()
  await page.getByText('access_denied').first().waitFor()
  await page.getByLabel('They have left the server').uncheck()
  // The other ways to sign in are shown next to the login, each with its own checks.
  for (const [other, text] of [
    ['OpenID Connect', /can sign in$/],
    ['Protected hosts', /can open these hosts$/],
  ] as const) {
    await page.getByRole('region', { name: other }).getByText(text).waitFor()
  }
  await page.getByText('book.example', { exact: true }).waitFor()
  expect(await visit.findings()).toEqual([])
  // Each failed check leads to the page on which it can be fixed.
  await projects('PATCH', `/${id}`, { forwardAuth: { anyOf: [roles.captain] } })
  await projects('DELETE', `/${id}/key`)
  await page.reload()
  await page.getByText('The member has none of the required roles: Captain.').waitFor()
  await page.getByRole('link', { name: 'Open protected hosts' }).waitFor()
  await page.getByRole('link', { name: 'Open API keys' }).first().click()
  await page.waitForURL(`**/console/projects/${id}/keys`)
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('a session is ended, and a member blocked and let in again; the next request says so', async () => {
  const project = await givenProject(at.world, { name: 'Crew list' })
  const { token } = await givenSession(at.world, project, users.tomas)
  const visit = await at.open(`/console/members/${users.tomas}/sessions`)
  const { page } = visit
  await page.getByRole('button', { name: 'End Crew list' }).click()
  await page.getByText('Crew list: ended.').waitFor()
  expect((await validate(at.world, project, token)).status).toBe(401)

  const again = await givenSession(at.world, project, users.tomas)
  await page.locator('.tabs').getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('button', { name: 'Block…' }).click()
  await page.getByLabel(/^Reason/).fill('Sells what is not theirs')
  await page.getByLabel(/^Until/).fill('2099-05-04T03:02')
  await page.getByRole('button', { name: 'Block member' }).click()
  await page.getByText('Sells what is not theirs').waitFor()
  await page.getByText(/2099.*3:02.*, in \d+ /).waitFor()
  await page.goto(`${at.url}/console/members/${users.tomas}/why?project=${project.id}`)
  await page.getByRole('link', { name: 'Open the member’s block' }).click()
  const title = page.getByRole('heading', { level: 1 })
  const hasFocus = () => title.evaluate((one) => one === document.activeElement)
  await page.getByRole('button', { name: 'Unblock' }).waitFor()
  await expect.poll(hasFocus, { timeout: 20_000 }).toBe(true)
  expect((await validate(at.world, project, again.token)).status).toBe(401)
  await page.getByRole('button', { name: 'Unblock' }).click()
  await page.getByText(/^Not blocked/).waitFor()
  await expect.poll(hasFocus, { timeout: 20_000 }).toBe(true)
  await page.getByRole('link', { name: 'Activity' }).click()
  await page.getByText(/was blocked until /).waitFor()
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('a person is erased after their name was typed, and their file can be taken before', async () => {
  const visit = await at.open(`/console/members/${users.rosa}/data`)
  const { page } = visit
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  expect((await download).suggestedFilename()).toMatch(/^member-\d+-\d{8}\.json$/)
  await page.getByRole('button', { name: 'Erase…' }).click()
  const erase = page.getByRole('button', { name: 'Erase data' })
  expect(await erase.isDisabled()).toBe(true)
  const [, username = ''] =
    /Type (\S+) to confirm/.exec(await page.getByRole('alertdialog').innerText()) ?? []
  await page.getByLabel(/^Type/).fill(username)
  await erase.click()
  await page.getByText(`${username} was erased.`).waitFor()
  await page.goto(`${at.url}/console/members?search=${username}`)
  await page.getByText('No members match').waitFor()
  await visit.close()
}, 60_000)

test('a server is added, its members are read with their number moving, and it is removed after what that does was told', async () => {
  const visit = await at.open('/console/servers')
  const { page } = visit
  await page.getByRole('button', { name: 'Add server' }).click()
  const invite = page.getByRole('link', { name: 'Invite the bot to a server' })
  expect(await invite.getAttribute('href')).toContain('scope=bot')
  await page.getByRole('button', { name: 'Add Harbour Games' }).click()
  await page.getByRole('heading', { level: 1, name: 'Harbour Games' }).waitFor()
  await page.getByRole('button', { name: 'Read all members' }).click()
  await page.getByText('Removed').waitFor()
  await page.getByText('Player', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Remove…' }).click()
  await page.getByText('No members are signed out, and no keys stop working.').waitFor()
  await page.getByLabel(/^Type/).fill('Harbour Games')
  await page.getByRole('button', { name: 'Remove server' }).click()
  await page.getByText('“Harbour Games” is removed.').waitFor()
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('who is logged in to a project is listed, narrowed to one member, and logged out after the number was told', async () => {
  const project = await givenProject(at.world, { name: 'Sail loft' })
  const kept = await givenSession(at.world, project, users.kenji)
  const ended = await givenSession(at.world, project, users.tomas)
  const visit = await at.open(`/console/projects/${project.id}/sessions`)
  const { page } = visit
  const rows = page.getByRole('row').filter({ has: page.getByRole('button', { name: /^End this/ }) })
  await expect.poll(() => rows.count()).toBe(2)
  await page.getByLabel('Member ID').fill(users.tomas)
  await expect.poll(() => rows.count()).toBe(1)
  await page.getByRole('button', { name: /^End all sessions of/ }).click()
  await page.getByText('1 member will be signed out (1 session).').waitFor()
  await page.getByRole('button', { name: 'End all sessions', exact: true }).click()
  await page.getByText('No sessions match').waitFor()
  expect((await validate(at.world, project, ended.token)).status).toBe(401)
  expect((await validate(at.world, project, kept.token)).status).toBe(200)
  // A member who signs in meanwhile appears without a reload.
  await page.getByLabel('Member ID').fill('')
  await expect.poll(() => rows.count()).toBe(1)
  await givenSession(at.world, project, users.rosa)
  await expect.poll(() => rows.count(), { timeout: 40_000 }).toBe(2)
  visit.expectQuiet()
  await visit.close()
}, 90_000)

test('every field of a project that the API takes is in a form of the console', async () => {
  const { id } = await givenProject(at.world, { name: 'Slipway' })
  const visit = await at.open(`/console/projects/${id}/settings`)
  const { page } = visit
  const offered = new Set<string>()
  for (const tab of ['Settings', 'OpenID Connect', 'Proxy', 'Events']) {
    await page.locator('.tabs').getByRole('link', { name: tab, exact: true }).click()
    await page.locator('.tabs a[aria-current="page"]', { hasText: tab }).waitFor()
    await page.locator('form [name]').first().waitFor()
    // Roles are read from the main server before they can be chosen.
    if (tab !== 'Events') await page.getByText('Captain', { exact: true }).first().waitFor()
    const names = await page
      // The search for members is not in the form of the owners, which Enter would submit.
      .locator('form [name], fieldset[name]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('name')))
    for (const name of names) if (name) offered.add(name)
  }
  // This field is a button of its own, which asks for confirmation first.
  offered.add('isActive')
  // This field is a table with an input for each role.
  await page.locator('.tabs').getByRole('link', { name: 'OpenID Connect', exact: true }).click()
  await page.getByRole('textbox', { name: 'Group name of Captain' }).waitFor()
  offered.add('groupNames')
  const fields = [...rulesOf('updateProject')].flatMap(
    ([
      name,
      {
        schema: { properties },
      },
    ]) => (properties ? Object.keys(properties) : [name]),
  )
  expect(fields.filter((name) => !offered.has(name))).toEqual([])
  await visit.close()
}, 60_000)

test('owners are found by name, the secret of events is shown once, and the address of notices never again', async () => {
  const { id } = await givenProject(at.world, { name: 'Boat shed' })
  const visit = await at.open(`/console/projects/${id}/settings`)
  const { page } = visit
  const owners = page.getByRole('region', { name: 'Owners' })
  await owners.getByLabel('Find a member to add').fill('kenji')
  await owners.getByRole('button', { name: /^Add / }).click()
  await owners.getByRole('button', { name: 'Save owners' }).click()
  await page.getByText('The owners are saved.').waitFor()
  await owners.getByRole('button', { name: /^Remove / }).waitFor()
  expect(await visit.findings()).toEqual([])

  await page.locator('.tabs').getByRole('link', { name: 'Events' }).click()
  await page.getByLabel('Backend address').fill('https://crew.example/events')
  await page.getByRole('button', { name: 'Save address' }).click()
  await page.getByText('The address is saved.').waitFor()
  await page.getByText('Copy the signing secret now.').waitFor()
  // The response to a change resets the form, and the secret stays on the screen.
  await page.getByRole('button', { name: 'Replace secret' }).waitFor()
  expect(await page.getByText(/^whsec_/).count()).toBe(1)
  const notices = page.getByRole('region', { name: 'Notices', exact: true })
  const { id: webhookId, token } = at.world.sim.world.addWebhook(mainGuildId)
  await notices.getByLabel('Webhook address').fill('https://elsewhere.example/hook')
  await notices.getByRole('button', { name: 'Save webhook address' }).click()
  await notices.getByText(/must be a Discord webhook/).waitFor()
  await notices.getByLabel('Webhook address').fill(`${at.world.sim.apiUrl}/webhooks/${webhookId}/${token}`)
  await notices.getByRole('button', { name: 'Save webhook address' }).click()
  await page.getByText('Notices are posted to the new address.').waitFor()
  await notices.getByRole('button', { name: 'Remove address' }).waitFor()
  expect(await page.content()).not.toContain(token)
  const project = (await (await givenAdministration(at.world)).projects('GET', `/${id}`)).body
  expect([project.owners, project.webhookUrl]).toEqual([
    { memberIds: [users.kenji], roleIds: [] },
    expect.stringContaining('127.0.0.1'),
  ])
  await visit.close()
}, 60_000)

test('who ends all sessions of their own is told so before, and sees the login after', async () => {
  const visit = await at.open(`/console/members/${users.mara}/sessions`)
  const { page } = visit
  await page.getByRole('button', { name: 'End all sessions…' }).click()
  await page.getByText('This is your own account.').waitFor()
  await page.getByRole('button', { name: 'End all sessions', exact: true }).click()
  await page.waitForURL('**/console/?logged_out=1')
  await page.getByRole('link', { name: /^Sign in/ }).waitFor()
  visit.expectQuiet()
  await visit.close()
}, 60_000)
