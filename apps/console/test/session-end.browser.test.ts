import { demo } from '@rolecall/chat-sim'
import { expect, test } from 'vitest'
import { givenProject, givenSession } from '../../api/test/given.ts'
import { consoleForTests } from './console-for-tests.ts'

const at = consoleForTests()

test('a session that ends while a dialog is open is replaced in another tab, and the dialog keeps its text', async () => {
  await givenSession(at.world, await givenProject(at.world), demo.users.joon)
  const visit = await at.open(`/console/members/${demo.users.joon}`)
  const { page, context } = visit
  await page.getByRole('button', { name: 'Block…' }).click()
  const reason = page.getByRole('dialog').getByLabel('Reason')
  await reason.fill('A long story')
  const title = await page.title()
  await context.clearCookies()
  await page.getByRole('button', { name: 'Block member' }).click()
  const ended = page.getByRole('dialog', { name: 'Your session has ended' })
  await ended.waitFor()
  // The focus stays on the page that covers the others.
  const signIn = ended.getByRole('link', { name: 'Sign in' })
  const hasFocus = () => signIn.evaluate((one) => one === document.activeElement)
  for (const _ of [1, 2, 3]) {
    await page.keyboard.press('Tab')
    expect(await hasFocus()).toBe(true)
  }
  await page.keyboard.press('Escape')
  await page.keyboard.press('ControlOrMeta+k')
  expect(await hasFocus()).toBe(true)
  const opening = context.waitForEvent('page')
  await signIn.click()
  const tab = await opening
  await tab.getByRole('button', { name: 'Mara Lind' }).click()
  await tab.getByRole('button', { name: 'Authorize' }).click()
  await tab.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await ended.waitFor({ state: 'detached' })
  expect(await reason.inputValue()).toBe('A long story')
  expect(await page.title()).toBe(title)
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('the forms of one administrator are not shown to another who signs in', async () => {
  at.world.sim.world.setRoles(demo.mainGuildId, demo.users.joon, [demo.roles.steward])
  const visit = await at.open('/console/projects/new')
  const { page, context } = visit
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await name.fill('Draft of Mara')
  await page.goto(`${at.url}/console/profile`)
  await visit.settled(/^Your profile$/)
  const typed = page.getByRole('textbox', { name: 'Preferred name', exact: true })
  await typed.fill('Typed by Mara')
  await context.clearCookies()
  await page.getByRole('button', { name: 'Save name' }).click()
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
  const opening = context.waitForEvent('page')
  await page.getByRole('link', { name: 'Sign in' }).click()
  const tab = await opening
  await tab.getByRole('button', { name: 'Joon Park' }).click()
  await tab.getByRole('button', { name: 'Authorize' }).click()
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor({ state: 'detached' })
  await expect.poll(() => typed.inputValue()).not.toBe('Typed by Mara')
  await page.goto(`${at.url}/console/projects/new`)
  await name.waitFor()
  expect(await name.inputValue()).toBe('')
  await visit.close()
}, 60_000)
