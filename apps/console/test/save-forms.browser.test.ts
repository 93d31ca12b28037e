import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Administration, givenAdministration } from '../../api/test/administration.ts'
import { type ConsoleWorld, startConsole } from './visit.ts'

let at: ConsoleWorld
/** Another administrator, who prepares what is on the screen, and changes it. */
let other: Administration
beforeAll(async () => {
  at = await startConsole()
  other = await givenAdministration(at.world)
}, 180_000)
afterAll(() => at?.close())

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
