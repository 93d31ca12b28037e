import { demo } from '@rolecall/chat-sim'
import { expect, test } from 'vitest'
import { call } from '../../api/test/client.ts'
import { administrationForTests, consoleForTests } from './console-for-tests.ts'

const at = consoleForTests()
const admin = administrationForTests(at)

const { kenji } = demo.users

/** Creates a project of Kenji, who is not a System Admin. */
const createOwned = async (name: string, more = {}) => {
  const owners = { memberIds: [kenji], roleIds: [demo.roles.crew] }
  const { project } = await admin.create({ name, owners, ...more })
  return project
}

test('an owner sees the server and the required roles of the protected hosts', async () => {
  const { status } = await call(at.url, 'POST', '/api/admin/servers', {
    token: admin.token,
    body: { id: demo.gamesGuildId },
  })
  expect([201, 409]).toContain(status)
  const role = Object.values(demo.gamesRoles)[0]
  const serverId = demo.gamesGuildId
  const { id } = await createOwned('Game shed', {
    serverAccess: [{ serverId }],
    forwardAuth: { hosts: ['games.example'], serverId, anyOf: [role] },
    oidc: { enabled: true, serverId },
  })
  const visit = await at.open(`/console/projects/${id}/proxy`, { as: kenji })
  const { page } = visit
  const calls: string[] = []
  page.on('response', (response) => {
    if (response.status() === 403) calls.push(new URL(response.url()).pathname)
  })
  const server = page.getByLabel('Server for sign-in')
  await server.waitFor()
  const shown = () => server.evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.text)
  await expect.poll(shown).toBe('Harbour Games')
  expect(await page.getByLabel(`Role ${role}`).isChecked()).toBe(true)
  await page.getByRole('link', { name: 'OpenID Connect', exact: true }).click()
  await page.getByRole('heading', { name: 'Groups' }).waitFor()
  await expect.poll(shown).toBe('Harbour Games')
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  const owners = page.getByRole('region', { name: 'Owners' })
  await owners.waitFor()
  expect(await owners.getByText(kenji, { exact: true }).count()).toBe(1)
  expect(await owners.getByLabel(`Role ${demo.roles.crew}`).isChecked()).toBe(true)
  // The page requests nothing that an owner may not read.
  expect(calls).toEqual([])
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('an owner is led to no page that is closed to owners', async () => {
  const { id } = await createOwned('Net loft')
  const visit = await at.open(`/console/projects/${id}`, { as: kenji })
  const { page } = visit
  await page.getByRole('region', { name: 'Servers' }).waitFor()
  expect(await page.getByRole('link', { name: 'Change access' }).count()).toBe(0)
  await page.keyboard.press('ControlOrMeta+k')
  const field = page.getByRole('dialog').getByRole('searchbox')
  await field.fill('net loft audit')
  await page.getByRole('menuitem', { name: 'Net loft: Audit' }).click()
  await page.getByText('Ask one of them who changed what.').waitFor()
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('the page of an owner is refetched, and does not say that updates are paused', async () => {
  const { id } = await createOwned('Sail loft')
  const visit = await at.open('/api/docs', { as: kenji })
  const { page } = visit
  await page.clock.install()
  await page.goto(`${at.url}/console/projects/${id}`)
  await page.getByRole('heading', { level: 1, name: 'Sail loft' }).waitFor()
  await admin.projects('PATCH', `/${id}`, { description: 'Canvas and needles' })
  for (const _ of [1, 2, 3]) await page.clock.fastForward(16_000)
  await page.getByText('Canvas and needles').waitFor()
  expect(await page.getByText('Live updates paused.').count()).toBe(0)
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('an owner who is no longer one is told so in words for administrators', async () => {
  await createOwned('Other loft')
  const { id } = await createOwned('Rope loft')
  const visit = await at.open(`/console/projects/${id}/settings`, { as: kenji })
  const { page } = visit
  await page.getByRole('textbox', { name: 'Description' }).fill('Hemp')
  await admin.projects('PATCH', `/${id}`, { owners: { memberIds: [], roleIds: [] } })
  await page.getByRole('button', { name: 'Save project' }).click()
  const problem = page.getByRole('alert').filter({ hasText: 'NOT_SYSTEM_ADMIN' })
  await problem.getByText('You do not have access to this. Ask a System Admin for access.').waitFor()
  visit.expectQuiet()
  await visit.close()
}, 60_000)
