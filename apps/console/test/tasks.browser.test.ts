import { demo } from '@rolecall/chat-sim'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../api/test/client.ts'
import { authorizePath, givenProject, givenSession, validate, walkLogin } from '../../api/test/given.ts'
import { administrationForTests, consoleForTests } from './console-for-tests.ts'
import { createHand, type Hand, type Way } from './hand.ts'
import { readMembers } from './pages.ts'

const at = consoleForTests()
const admin = administrationForTests(at)
let wiki: string
beforeAll(async () => {
  await readMembers(admin, at.world)
  wiki = (await admin.create({ name: 'Wiki', serverAccess: [] })).project.id
  await admin.create({ name: 'Crew shop' })
  const access = { operations: { READ: true, SEND_MESSAGES: true, MANAGE_WEBHOOKS: false } }
  await admin.projects('PUT', `/${wiki}/servers/${mainGuildId}`, access)
  await walkLogin(at.world, authorizePath((await givenProject(at.world, { name: 'Log book' })).id), {
    as: users.emil,
  })
}, 180_000)

const { users, roles, mainGuildId } = demo
/** The maximum number of actions from Overview for each task. */
const maxActions = 4

interface Task {
  readonly title: string
  /** The number of actions for each way to use the console. The test fails if a change makes a task longer. */
  readonly actions: Readonly<Record<Way, number>>
  /** Creates the data that only this task needs. */
  readonly prepare?: () => Promise<unknown>
  readonly run: (page: Page, hand: Hand) => Promise<void>
}

const block = () =>
  call(at.url, 'PUT', `/api/admin/members/${users.kenji}/block`, {
    token: admin.token,
    body: { reason: 'Test' },
  })
const unblock = () =>
  call(at.url, 'DELETE', `/api/admin/members/${users.kenji}/block`, { token: admin.token })

const tasks: readonly Task[] = [
  {
    title: 'find out why Emil was refused',
    actions: { mouse: 1, keyboard: 1, phone: 1 },
    run: async (page, hand) => {
      await hand.press(page.getByRole('link', { name: /^Why Emil/ }).first())
      await page
        .getByText(/is not a member of the server/)
        .first()
        .waitFor()
    },
  },
  {
    title: 'add a redirect URI',
    actions: { mouse: 3, keyboard: 3, phone: 3 },
    run: async (page, hand) => {
      const uri = `https://wiki.example/callback/${Math.random()}`
      await hand.search('wiki red', /^Wiki: Redirects/)
      await hand.send(page.getByLabel('New redirect URI'), uri)
      await page.getByRole('button', { name: `Remove ${uri}` }).waitFor()
    },
  },
  {
    title: 'find the ID of a role',
    actions: { mouse: 3, keyboard: 3, phone: 4 },
    run: async (page, hand) => {
      await hand.visit('Servers')
      await hand.press(page.getByRole('link', { name: /^Harbour Club/ }))
      const captain = page.getByRole('table', { name: 'Roles' }).getByRole('row', { name: /^Captain/ })
      await hand.press(captain.getByTitle(`Copy ${roles.captain}`))
      await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(roles.captain)
    },
  },
  {
    title: 'replace a key with one day of grace',
    actions: { mouse: 4, keyboard: 4, phone: 4 },
    run: async (page, hand) => {
      await hand.search('wiki keys', /^Wiki: Keys/)
      await hand.press(page.getByRole('button', { name: 'Replace…' }))
      const grace = page.getByLabel('The old key stays valid', { exact: true })
      expect(await grace.evaluate((one: HTMLSelectElement) => one.selectedOptions[0]?.text)).toBe('For 1 day')
      await hand.press(page.getByRole('button', { name: 'Replace key' }))
      await page.getByRole('group', { name: 'API key', exact: true }).waitFor()
    },
  },
  {
    title: 'end all sessions of a member',
    actions: { mouse: 4, keyboard: 4, phone: 4 },
    run: async (page, hand) => {
      const project = await givenProject(at.world)
      const { token } = await givenSession(at.world, project, users.ada)
      await hand.search('ada', /^Ada/)
      await hand.press(page.getByRole('button', { name: 'End all sessions…' }))
      await page.getByText(/will be signed out/).waitFor()
      await hand.press(page.getByRole('button', { name: 'End all sessions', exact: true }))
      await page.getByText(/^Ada .* is signed out everywhere/).waitFor()
      expect((await validate(at.world, project, token)).status).toBe(401)
    },
  },
  {
    title: 'find out who changed the access of the wiki',
    actions: { mouse: 1, keyboard: 1, phone: 2 },
    run: async (page, hand) => {
      await hand.visit('Access')
      await page.getByText(/^mara\S* (granted|changed) .*Wiki/).waitFor()
    },
  },
  {
    title: 'block a member',
    actions: { mouse: 4, keyboard: 4, phone: 4 },
    prepare: unblock,
    run: async (page, hand) => {
      await hand.search('kenji', /^Kenji/)
      await hand.press(page.getByRole('button', { name: 'Block…' }))
      await hand.send(page.getByLabel(/^Reason/), 'Sells tickets')
      await page.getByText(/is blocked\.$/).waitFor()
    },
  },
  {
    title: 'undo a block',
    actions: { mouse: 3, keyboard: 3, phone: 3 },
    prepare: block,
    run: async (page, hand) => {
      await hand.search('kenji', /^Kenji/)
      await hand.press(page.getByRole('button', { name: 'Unblock' }))
      await page.getByText(/^Not blocked/).waitFor()
    },
  },
  {
    title: 'export the audit entries of one project of last month',
    actions: { mouse: 4, keyboard: 4, phone: 4 },
    run: async (page, hand) => {
      await hand.search('wiki audit', /^Wiki: Audit/)
      await hand.choose(page.getByLabel('Period', { exact: true }), 'Last month')
      await page.waitForURL(/from=/)
      const download = page.waitForEvent('download')
      await hand.press(page.getByRole('link', { name: 'Download CSV' }))
      const { searchParams } = new URL((await download).url())
      expect([
        searchParams.get('targetId'),
        searchParams.has('dateFrom'),
        searchParams.has('dateTo'),
      ]).toEqual([wiki, true, true])
    },
  },
]

describe.each(tasks)('$title', ({ actions, prepare, run }) => {
  test.each(['mouse', 'keyboard', 'phone'] as const)('from Overview, by %s', async (way) => {
    await prepare?.()
    const visit = await at.open('/console/overview', { width: way === 'phone' ? 390 : 1280 })
    const { page } = visit
    await visit.settled(/^Overview$/)
    await page.getByRole('table', { name: 'Recently refused' }).waitFor()
    const hand = createHand(page, way)
    await run(page, hand)
    expect(hand.count()).toBe(actions[way])
    expect(hand.count()).toBeLessThanOrEqual(maxActions)
    visit.expectQuiet()
    await visit.close()
  })
})
