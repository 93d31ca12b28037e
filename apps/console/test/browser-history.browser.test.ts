import { demo } from '@rolecall/chat-sim'
import { expect, test } from 'vitest'
import { call } from '../../api/test/client.ts'
import { administrationForTests, consoleForTests } from './console-for-tests.ts'

const at = consoleForTests()
const admin = administrationForTests(at)

test('Back returns to the page of a list before, and Forward to the next one', async () => {
  const { project } = await admin.create({ name: 'Ship’s log' })
  for (let number = 1; number <= 110; number++)
    await admin.projects('PATCH', `/${project.id}`, { description: `Entry ${number}` })
  const visit = await at.open(`/console/projects/${project.id}`)
  const { page } = visit
  await page.getByRole('link', { name: 'Audit' }).last().click()
  const rows = page.getByRole('table', { name: 'Changes to this project' }).getByRole('row')
  const older = page.getByRole('button', { name: 'Older' })
  await expect.poll(() => rows.count()).toBe(51)
  const first = page.url()
  await older.click()
  await expect.poll(() => page.url()).not.toBe(first)
  const second = page.url()
  await older.click()
  await expect.poll(() => page.url()).not.toBe(second)
  await page.goBack()
  await expect.poll(() => page.url()).toBe(second)
  await page.goBack()
  await expect.poll(() => page.url()).toBe(first)
  await page.goForward()
  await expect.poll(() => page.url()).toBe(second)
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('an action that is done after Back leaves the user where they are', async () => {
  const visit = await at.open('/console/about')
  const { page } = visit
  await visit.settled(/^About$/)
  await page.getByRole('link', { name: 'Servers' }).click()
  await visit.settled(/^Servers$/)
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const servers = '**/api/admin/servers'
  await page.route(servers, async (route) => {
    if (route.request().method() === 'POST') await held
    await route.continue()
  })
  await page.getByRole('button', { name: 'Add server' }).click()
  await page.getByRole('button', { name: 'Add Harbour Games' }).click()
  await page.goBack()
  await visit.settled(/^About$/)
  letGo()
  await page.getByText('“Harbour Games” is added.').waitFor()
  expect(new URL(page.url()).pathname).toBe('/console/about')
  visit.expectQuiet()
  await visit.close()
  const { token } = admin
  await call(at.url, 'DELETE', `/api/admin/servers/${demo.gamesGuildId}`, { token })
}, 60_000)
