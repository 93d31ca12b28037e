import { demo } from '@rolecall/chat-sim'
import { expect, test } from 'vitest'
import { administrationForTests, consoleForTests } from './console-for-tests.ts'

const at = consoleForTests()
/** Another administrator, who changes what is on the screen. */
const other = administrationForTests(at)

const { roles, users } = demo

test('owners that two administrators choose are all saved', async () => {
  const { project } = await other.create({ name: 'Two stewards' })
  const visit = await at.open(`/console/projects/${project.id}/settings`)
  const { page } = visit
  const owners = page.getByRole('region', { name: 'Owners' })
  await owners.getByLabel('Crew', { exact: true }).check()
  await other.projects('PATCH', `/${project.id}`, {
    owners: { roleIds: [roles.captain], memberIds: [users.ada] },
  })
  await expect.poll(() => owners.getByLabel('Captain', { exact: true }).isChecked()).toBe(true)
  await owners.getByRole('button', { name: 'Save owners' }).click()
  await page.getByText('The owners are saved.').waitFor()
  const { body } = await other.projects('GET', `/${project.id}`)
  expect([...body.owners.roleIds].sort()).toEqual([roles.captain, roles.crew].sort())
  expect(body.owners.memberIds).toEqual([users.ada])
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('a field that two administrators change says so until it is saved or undone', async () => {
  const { project } = await other.create({ name: 'One description' })
  const visit = await at.open(`/console/projects/${project.id}/settings`)
  const { page } = visit
  const description = page.getByRole('textbox', { name: 'Description' })
  const conflict = page.getByRole('alert').filter({ hasText: 'Saving overwrites that value.' })
  await description.fill('from A')
  await other.projects('PATCH', `/${project.id}`, { description: 'from B' })
  await conflict.waitFor()
  expect(await conflict.textContent()).toBe(
    'This field was changed to “from B” while you were editing. Saving overwrites that value.',
  )
  await page.getByRole('button', { name: 'Undo' }).click()
  await conflict.waitFor({ state: 'detached' })
  expect(await description.inputValue()).toBe('from B')
  await description.fill('from A')
  await other.projects('PATCH', `/${project.id}`, { description: null })
  await conflict.waitFor()
  expect(await conflict.textContent()).toBe(
    'This field was cleared while you were editing. Saving overwrites that value.',
  )
  await page.getByRole('button', { name: 'Save project' }).click()
  await page.getByText('The project is saved.').waitFor()
  await conflict.waitFor({ state: 'detached' })
  await description.fill('from A again')
  expect(await conflict.count()).toBe(0)
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('a schema that is being typed stays, and says that the stored one has changed', async () => {
  const { project } = await other.create({ name: 'Half a schema' })
  const path = `/${project.id}/inbound-webhooks`
  const { body: webhook } = await other.projects('POST', path, { name: 'Half', schema: { type: 'object' } })
  const visit = await at.open(`/console/projects/${project.id}/webhooks`)
  const { page } = visit
  await page.getByRole('button', { name: 'Change Half' }).click()
  await page.getByLabel('As plain text').check()
  const schema = page.getByRole('textbox', { name: 'Schema' })
  await schema.fill('{"type":"object","maxProp')
  await page.getByText('The schema is not valid JSON').waitFor()
  await other.projects('PATCH', `${path}/${webhook.id}`, { schema: { type: 'object', required: ['place'] } })
  await page
    .getByRole('alert')
    .filter({ hasText: 'This field was changed while you were editing. Saving overwrites that value.' })
    .waitFor()
  expect(await schema.inputValue()).toBe('{"type":"object","maxProp')
  await schema.fill('{"type":"object","maxProperties":7}')
  await page.getByText('The schema is not valid JSON').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Save webhook' }).click()
  await page.getByText('“Half” is saved.').waitFor()
  const { body } = await other.projects('GET', `${path}/${webhook.id}`)
  expect(body.schema).toEqual({ type: 'object', maxProperties: 7 })
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('the form of a webhook is not dropped for another one, and closes when its webhook is deleted', async () => {
  const { project } = await other.create({ name: 'Two webhooks' })
  const path = `/${project.id}/inbound-webhooks`
  const { body: one } = await other.projects('POST', path, { name: 'One', schema: {} })
  await other.projects('POST', path, { name: 'Two', schema: {} })
  const visit = await at.open(`/console/projects/${project.id}/webhooks`)
  const { page } = visit
  await page.getByRole('button', { name: 'Change One' }).click()
  await page.getByLabel('Name', { exact: true }).fill('One more')
  const change = page.getByRole('button', { name: 'Change Two' })
  expect(await change.isDisabled()).toBe(true)
  await other.projects('DELETE', `${path}/${one.id}`)
  await page.getByText('“One” was deleted, so its form is closed.').waitFor()
  expect(await page.getByRole('button', { name: 'Save webhook' }).count()).toBe(0)
  await change.click()
  await page.getByRole('button', { name: 'Save webhook' }).waitFor()
  expect(await page.getByText('“One” was deleted').count()).toBe(0)
  visit.expectQuiet()
  await visit.close()
}, 60_000)
