import { readFile } from 'node:fs/promises'
import { demo } from '@rolecall/chat-sim'
import { beforeAll, expect, test } from 'vitest'
import { givenProject, givenSession, validate } from '../../api/test/given.ts'
import { administrationForTests, consoleForTests } from './console-for-tests.ts'
import { makeShown } from './pages.ts'

const at = consoleForTests()
const admin = administrationForTests(at)
beforeAll(async () => {
  await makeShown(admin, at.world)
}, 180_000)

test('a project is deleted after its numbers were told: who is logged out, and whose key stops', async () => {
  const project = await givenProject(at.world, { name: 'Sail loft' })
  const { token } = await givenSession(at.world, project, demo.users.ada)
  await givenSession(at.world, project, demo.users.ada)
  await givenSession(at.world, project, demo.users.joon)
  const visit = await at.open(`/console/projects/${project.id}/settings`)
  const { page } = visit
  await page.getByRole('button', { name: 'Delete…' }).click()
  const effects = page.getByRole('list', { name: 'Effects' }).getByRole('listitem')
  await effects.first().waitFor()
  expect(await effects.allInnerTexts()).toEqual([
    '2 members will be signed out (3 sessions).',
    '1 API key will stop working immediately.',
  ])
  expect((await validate(at.world, project, token)).status).toBe(200)
  await page.getByLabel('Type Sail loft to confirm').fill('Sail loft')
  await page.getByRole('button', { name: 'Delete project' }).click()
  await page.getByText('“Sail loft” is deleted.').waitFor()
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor()
  expect((await validate(at.world, project, token)).status).toBe(401)
  visit.expectQuiet()
  await visit.close()
})

test('the secret of a new webhook is shown once: no reload and no store of the browser has it', async () => {
  const { id } = await givenProject(at.world, { name: 'Weather mast' })
  const visit = await at.open(`/console/projects/${id}/webhooks`)
  const { page } = visit
  await page.getByRole('button', { name: 'New webhook' }).click()
  await page.getByLabel('Name').fill('Wind')
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByText('Copy the secret of “Wind” now.').waitFor()
  const secret = (await page.locator('.secret code').textContent()) ?? ''
  expect(secret.length).toBeGreaterThan(20)
  const kept = await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))
  expect(kept).not.toContain(secret)
  await page.reload()
  await page.getByRole('button', { name: 'Change Wind' }).waitFor()
  expect(await page.content()).not.toContain(secret)
  await page.getByRole('button', { name: 'Replace secret of Wind' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Replace secret' }).click()
  await page.locator('.secret code').waitFor()
  expect(await page.locator('.secret code').textContent()).not.toBe(secret)
  visit.expectQuiet()
  await visit.close()
})

test('the audit log is taken as a file that holds what its filters let through', async () => {
  const { project } = await admin.create({ name: 'Chart table' })
  await admin.create({ name: 'Not on it' })
  const visit = await at.open(`/console/audit?about=${project.id}`)
  const { page } = visit
  await page.getByText('1 entry').first().waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download CSV' }).click()
  const text = await readFile(await (await download).path(), 'utf8')
  expect(text.trim().split('\n')).toHaveLength(2)
  expect(text).toContain('Chart table')
  expect(text).not.toContain('Not on it')
  visit.expectQuiet()
  await visit.close()
})

test('an export says that it is under way, can be stopped, and gives no file then', async () => {
  const visit = await at.open('/console/members')
  const { page } = visit
  const exportAddress = /\/api\/admin\/members\/export/
  const downloads: unknown[] = []
  page.on('download', (download) => downloads.push(download))
  let ask: (() => Promise<void>) | undefined
  await page.route(exportAddress, async (route) => {
    await new Promise<void>((resolve) => {
      ask = async () => resolve()
    })
    await route.continue().catch(() => {})
  })
  await page.getByRole('button', { name: 'Export…' }).click()
  await page.getByRole('button', { name: /Stop/ }).click()
  await page.getByRole('button', { name: 'Export…' }).waitFor()
  await ask?.()
  await page.unroute(exportAddress)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export…' }).click()
  expect(await readFile(await (await download).path(), 'utf8')).toContain('ada.o')
  expect(downloads).toHaveLength(1)
  await visit.close()
})

test('the signing secret of events stays on the screen while the page follows what was saved, and no reload shows it', async () => {
  const { id } = await givenProject(at.world, { name: 'Bell buoy' })
  const visit = await at.open(`/console/projects/${id}/events`)
  const { page } = visit
  await page.getByLabel('Backend address').fill('https://bell.invalid/events')
  await page.getByRole('button', { name: 'Save address' }).click()
  // The page has refetched the project, with its address.
  await page.getByRole('button', { name: 'Replace secret' }).waitFor()
  const secret = (await page.locator('.secret code').textContent()) ?? ''
  expect(secret).toMatch(/^whsec_/)
  await page.reload()
  await page.getByRole('button', { name: 'Replace secret' }).waitFor()
  expect(await page.content()).not.toContain(secret)
  visit.expectQuiet()
  await visit.close()
})

test('without a network the console says so instead of waiting, and goes on by itself once there is one', async () => {
  const visit = await at.open('/console/projects')
  const { page, context } = visit
  // The page of a project is loaded by then, and the content of another project is not.
  await page.getByRole('link', { name: 'Harbour log' }).click()
  await page.getByRole('heading', { level: 1, name: 'Harbour log' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'Crew shop' }).waitFor()
  await context.setOffline(true)
  await page.getByRole('link', { name: 'Crew shop' }).click()
  await page.getByText('Rolecall cannot be reached.').waitFor()
  await context.setOffline(false)
  await page.getByText('Rolecall cannot be reached.').waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1, name: 'Crew shop' }).waitFor()
  await visit.close()
})
