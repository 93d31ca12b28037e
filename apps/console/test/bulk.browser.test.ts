import { demo } from '@rolecall/chat-sim'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { call } from '../../api/test/client.ts'
import { givenProject, givenSession, validate } from '../../api/test/given.ts'
import { administrationForTests, consoleForTests } from './console-for-tests.ts'

const at = consoleForTests()
const admin = administrationForTests(at)

const { users, mainGuildId } = demo
const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)

test.each([
  [1280, 'light'],
  [390, 'dark'],
] as const)(
  'at %i pixels in %s: selected sessions are listed first, end one after another, and a failure is named and tried again',
  async (width, colorScheme) => {
    const project = await givenProject(at.world, { name: `Crew list ${width}` })
    const tokens: string[] = []
    for (const as of [users.ada, users.joon, users.kenji])
      tokens.push((await givenSession(at.world, project, as)).token)
    const statuses = () =>
      Promise.all(tokens.map(async (token) => (await validate(at.world, project, token)).status))

    const visit = await at.open(`/console/projects/${project.id}/sessions`, { width, colorScheme })
    const { page } = visit
    await visit.settled(/^Crew list/)
    await page.getByLabel('Select all rows').check()
    await page.getByLabel(/^Select Kenji/).uncheck()
    await page.getByText('2 selected').waitFor()
    expect(await visit.findings()).toEqual([])
    await page.getByRole('button', { name: 'End 2 sessions…' }).click()
    const question = page.getByRole('alertdialog', { name: 'End 2 sessions?' })
    const effects = question.getByRole('list', { name: 'What it will do' })
    await effects.getByText(/^Joon/).waitFor()
    expect(await effects.getByRole('listitem').count()).toBe(2)
    expect(await effects.innerText()).toMatch(/Signed out of “Crew list \d+” in Harbour Club/)
    // No session has ended yet.
    expect(await statuses()).toEqual([200, 200, 200])
    expect(await visit.findings()).toEqual([])
    expect(await fits(page)).toBe(true)

    const ends = new RegExp(`/api/admin/members/${users.ada}/sessions/`)
    await page.route(ends, (route) =>
      route.fulfill({
        status: 409,
        contentType: 'application/problem+json',
        body: JSON.stringify({
          status: 409,
          title: 'No.',
          detail: 'Ada is busy.',
          code: 'X',
          requestId: 'r',
        }),
      }),
    )
    await question.getByRole('button', { name: 'End 2 sessions' }).click()
    await question.getByText('1 of 2 done. 1 failed.').waitFor()
    const failed = question.getByRole('list', { name: 'What failed' })
    expect(await failed.innerText()).toMatch(/^Ada[\s\S]*Ada is busy\./)
    expect(await visit.findings()).toEqual([])
    expect(await statuses()).toEqual([200, 401, 200])
    await page.unroute(ends)
    await question.getByRole('button', { name: 'Try the other 1 again' }).click()
    await page.getByText('2 sessions ended.').waitFor()
    await question.waitFor({ state: 'detached' })
    expect(await statuses()).toEqual([401, 401, 200])
    await page.getByText('2 selected').waitFor({ state: 'detached' })
    expect(await page.locator('tbody tr').count()).toBe(1)
    visit.expectQuiet()
    await visit.close()
  },
  60_000,
)

test('the Back button does not end a bulk action silently; its rest can be stopped, and is named', async () => {
  const project = await givenProject(at.world, { name: 'Night watch' })
  for (const as of [users.ada, users.joon]) await givenSession(at.world, project, as)
  const visit = await at.open(`/console/projects/${project.id}`)
  const { page } = visit
  await page.getByRole('link', { name: 'Sessions', exact: true }).last().click()
  await page.getByLabel('Select all rows').check()
  await page.getByRole('button', { name: 'End 2 sessions…' }).click()
  const question = page.getByRole('alertdialog')
  let letGo: (() => void) | undefined
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route(/\/api\/admin\/members\/\d+\/sessions\//, async (route) => {
    await held
    await route.continue()
  })
  await question.getByRole('button', { name: 'End 2 sessions' }).click()
  await question.getByText('Working: 0 of 2').waitFor()
  // The Back button asks first, because leaving would end the action silently.
  const asked = page.waitForEvent('dialog').then(async (dialog) => {
    await dialog.dismiss()
    return dialog.message()
  })
  await page.evaluate(() => history.back())
  expect(await asked).toBe('Leave now? The changes that have not started will not be made.')
  await question.getByRole('button', { name: 'Stop' }).click()
  letGo?.()
  await question.getByText('1 of 2 done. 0 failed. 1 did not start.').waitFor()
  await question.getByRole('button', { name: 'Close' }).click()
  await expect.poll(() => page.locator('tbody tr').count()).toBe(1)
  visit.expectQuiet()
  await visit.close()
})

test('the sessions of a member are selected and ended by the keyboard alone', async () => {
  const [one, two] = [
    await givenProject(at.world, { name: 'Chart room' }),
    await givenProject(at.world, { name: 'Engine log' }),
  ]
  const session = await givenSession(at.world, one, users.tomas)
  const other = await givenSession(at.world, two, users.tomas)
  const visit = await at.open(`/console/members/${users.tomas}/sessions`)
  const { page } = visit
  const box = page.getByLabel(/^Select Chart room/)
  await box.focus()
  await page.keyboard.press('Space')
  await page.getByRole('button', { name: 'End 1 session…' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'End 1 session', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('1 session ended.').waitFor()
  expect((await validate(at.world, one, session.token)).status).toBe(401)
  expect((await validate(at.world, two, other.token)).status).toBe(200)
  visit.expectQuiet()
  await visit.close()
})

test.each([
  [1280, 'dark'],
  [390, 'light'],
] as const)(
  'at %i pixels in %s: access is given to several projects and taken away again, with a dry run first',
  async (width, colorScheme) => {
    const name = `Bulk ${width}`
    const made = []
    for (const letter of ['a', 'b']) {
      made.push((await admin.create({ name: `${name} ${letter}`, serverAccess: [] })).project)
    }
    const mapped = await givenProject(at.world, { name: `${name} c` })
    const { token } = await givenSession(at.world, mapped, users.ada)
    const access = async ({ id }: { id: string }) =>
      (await admin.projects('GET', `/${id}/servers`)).body.data.map(
        ({ serverId }: { serverId: string }) => serverId,
      )
    const visit = await at.open(`/console/access?name=${encodeURIComponent(name)}`, { width, colorScheme })
    const { page } = visit
    await page.getByLabel(`Select ${name} a`).waitFor()
    await page.getByLabel('Select all rows').check()
    await page.getByText('3 selected').waitFor()
    expect(await visit.findings()).toEqual([])
    await page.getByRole('button', { name: 'Grant access…' }).click()
    const giving = page.getByRole('alertdialog', { name: 'Grant 2 projects access to Harbour Club?' })
    await giving.getByText('1 selected project can already use it.').waitFor()
    await giving.getByText('No members are signed out').first().waitFor()
    for (const one of made) expect(await access(one)).toEqual([])
    await giving.getByRole('button', { name: 'Grant access to 2 projects' }).click()
    await page.getByText('2 projects can use Harbour Club.').waitFor()
    for (const one of made) expect(await access(one)).toEqual([mainGuildId])

    await page.getByLabel('Select all rows').check()
    await page.getByRole('button', { name: 'Revoke access…' }).click()
    const taking = page.getByRole('alertdialog', { name: 'Revoke the access of 3 projects to Harbour Club?' })
    await taking.getByText('1 member will be signed out (1 session).').waitFor()
    expect(await access(mapped)).toEqual([mainGuildId])
    expect((await validate(at.world, mapped, token)).status).toBe(200)
    expect(await visit.findings()).toEqual([])
    expect(await fits(page)).toBe(true)
    await taking.getByRole('button', { name: 'Revoke the access of 3 projects' }).click()
    await page.getByText('3 projects can no longer use Harbour Club.').waitFor()
    for (const one of [...made, mapped]) expect(await access(one)).toEqual([])
    expect((await validate(at.world, mapped, token)).status).toBe(401)
    visit.expectQuiet()
    await visit.close()
  },
  60_000,
)

test('an auditor can select nothing', async () => {
  const visit = await at.open('/console/access')
  const { page } = visit
  const { body } = await call(at.url, 'GET', '/api/admin/profile', { token: admin.token })
  const auditor = { ...body, isSystemAdmin: false, isAuditor: true }
  await page.route('**/api/admin/profile', (route) => route.fulfill({ json: auditor }))
  await page.reload()
  await visit.settled(/^Access$/)
  expect(await page.getByRole('checkbox').count()).toBe(0)
  await visit.close()
})

test('access that another administrator has revoked meanwhile is no failure', async () => {
  const serverAccess = [{ serverId: mainGuildId }]
  const { project } = await admin.create({ name: 'Twice revoked', serverAccess })
  await admin.create({ name: 'Once revoked', serverAccess })
  const visit = await at.open('/console/access?name=revoked')
  const { page } = visit
  await page.getByLabel('Select Twice revoked').check()
  await page.getByLabel('Select Once revoked').check()
  await page.getByRole('button', { name: 'Revoke access…' }).click()
  const question = page.getByRole('alertdialog')
  await question.getByRole('list', { name: 'What it will do' }).waitFor()
  await admin.projects('DELETE', `/${project.id}/servers/${mainGuildId}`)
  await question.getByRole('button', { name: 'Revoke the access of 2 projects' }).click()
  await page.getByText('2 projects can no longer use Harbour Club.').waitFor()
  visit.expectQuiet()
  await visit.close()
}, 60_000)
