import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { demo } from '@rolecall/chat-sim'
import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { givenProject } from '../../api/test/given.ts'
import { administrationForTests, consoleForTests } from './console-for-tests.ts'
import { makeShown } from './pages.ts'
import { routes } from './routes.ts'
import type { Visit } from './visit.ts'

/** The folder for screenshots. Without it, none are taken. */
const pictures = process.env['SCREENSHOTS']

/** The second look has the same elements, so only the rules that depend on a look can find something new there. */
const looks = [
  { width: 1280, colorScheme: 'light', rules: 'all' },
  { width: 390, colorScheme: 'dark', rules: 'looks' },
] as const

const at = consoleForTests()
const admin = administrationForTests(at)
/** The tab of a System Admin. All tests use it, so that the files of the console are in its cache. */
let visit: Visit
beforeAll(async () => {
  visit = await at.open('/console/about')
}, 180_000)

/** The IDs of the objects that pages show, by the word before them in a path. */
type Ids = Readonly<Record<string, string>>

/** Returns the address of a route. */
function addressOf(route: string, ids: Ids): string {
  const path = route.replace(/\/(\w+)\/\$\w+/g, (_, kind: string) => {
    const id = ids[kind]
    if (id === undefined) throw new Error(`${route} shows an object of ${kind}, and none was created`)
    return `/${kind}/${id}`
  })
  return `${at.url}/console${path}`
}

/** Matches text for programs, or of a missing value. */
const forPrograms =
  /`.*`|\b(undefined|null|NaN)\b|\[object |Invalid Date|\b[A-Z]+ \/api\/|\b[A-Z]+(_[A-Z]+)+\b|\bNFC\b|the key is omitted/

/** Returns the faults of the page in each width and color scheme. */
async function faultsOf({ page, findings }: Visit, state: string, says: RegExp) {
  const faults: string[] = []
  for (const { width, colorScheme, rules } of looks) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    await shoot(page, `${state}-${width}`)
    const { prose, ...seen } = await read(page)
    const found = [...(await findings(rules)), ...seen.blank]
    const [program] = forPrograms.exec(prose) ?? []
    if (program !== undefined) found.push(`text for programs: ${program}`)
    if (!says.test(prose)) found.push(`no ${says} in: ${prose}`)
    if (seen.width > width) found.push(`${seen.width} pixels wide`)
    if (seen.titles !== 1) found.push(`${seen.titles} titles`)
    faults.push(...found.map((fault) => `${width} ${colorScheme}: ${fault}`))
  }
  return faults
}

/** Reads what a person sees on the page. */
const read = (page: Page) =>
  page.evaluate(() => {
    const isSeen = (one: Element) => one.checkVisibility({ visibilityProperty: true })
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const prose: string[] = []
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const { parentElement: one } = text
      if (
        one &&
        isSeen(one) &&
        !one.closest('code, pre, .mono, .chart-legend, .unseen, textarea, .cm-editor')
      )
        prose.push(text.textContent ?? '')
    }
    const isBlank = (one: HTMLElement) =>
      isSeen(one) && !one.innerText.trim() && !one.querySelector('input, button, svg, img')
    return {
      prose: prose.join(' ').replaceAll(/\s+/g, ' '),
      width: document.documentElement.scrollWidth,
      titles: document.querySelectorAll('h1').length,
      blank: [
        ...document.querySelectorAll<HTMLElement>('.page > *, .panel-body, .table-frame, tbody, select'),
      ]
        .filter(isBlank)
        .map(({ outerHTML }) => `blank: ${outerHTML.slice(0, 200)}`),
    }
  })

async function shoot(page: Page, name: string) {
  if (!pictures) return
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: join(pictures, `${name.replaceAll(/[/$]+/g, '-').slice(1)}.png`) })
}

/** Pages that are not empty in a new service: forms, and objects that every service has. */
const neverEmpty = new Map([
  ['/overview', /All recent sign-ins succeeded/],
  ['/projects/new', /Basics/],
  ['/projects/$id/keys', /never/],
  ['/projects/$id/sign-in', /Turn it on/],
  ['/projects/$id/proxy', /Proxy/],
  ['/projects/$id/audit', /created/],
  ['/projects/$id/settings', /Delete/],
  ['/members', /1 member/],
  ['/members/$id', /Servers and roles/],
  ['/members/$id/sessions', /The administration/],
  ['/members/$id/activity', /None are recorded/],
  ['/members/$id/data', /All stored data about this person/],
  ['/servers', /Main server/],
  ['/servers/$id', /Not read yet/],
  ['/audit', /signed in/],
  ['/monitoring', /Waiting in queues 0/],
  ['/settings', /Save settings/],
  ['/about', /Version/],
  ['/profile', /System Admin: you can change everything/],
])

describe('a service in which nothing was created', () => {
  const ids: Record<string, string> = { members: demo.users.mara, servers: demo.mainGuildId }
  const created = (route: string) => route.match(/(projects|webhooks)\/\$/g)?.length ?? 0
  // Opens the lists before their first object is created.
  const inOrder = routes.toSorted((a, b) => created(a) - created(b))

  test.each(inOrder)('%s says what is missing', async (route) => {
    if (route.includes('/projects/$') && !ids['projects']) {
      const bare = { name: 'Bell buoy', redirectUris: [], serverIds: [] }
      ids['projects'] = (await givenProject(at.world, bare)).id
    }
    if (route.includes('/webhooks/$') && !ids['webhooks']) {
      const webhook = { name: 'Tide reports', schema: { type: 'object' } }
      const { body } = await admin.projects('POST', `/${ids['projects']}/inbound-webhooks`, webhook)
      ids['webhooks'] = body.id
    }
    await visit.page.goto(addressOf(route, ids))
    await visit.settled(/./)
    expect(await faultsOf(visit, `${route}-empty`, neverEmpty.get(route) ?? /\bNo [a-z ]+/)).toEqual([])
    visit.expectQuiet()
  })
})

/** Pages that make no call, because the shell has loaded their data. */
const withoutCalls = ['/projects/new', '/profile']

/** Pages that owners may open, with the text that they see there. Overview redirects them to their projects. */
const openToOwners = new Map([
  ['/overview', /The projects that you manage/],
  ['/projects', /The projects that you manage/],
  ['/about', /Read more/],
  ['/profile', /Owner of Boat shed/],
])

/** Leaves a call pending. It continues when its route is removed, and then fails, because there is no network. */
const hold = () => {}

describe('a service with content', () => {
  let ids: Ids
  let owner: Visit
  beforeAll(async () => {
    const { projectId, webhookId } = await makeShown(admin, at.world)
    ids = {
      projects: projectId,
      webhooks: webhookId,
      members: demo.users.ada,
      servers: demo.mainGuildId,
    }
    const { project } = await admin.create({ name: 'Boat shed' })
    const owners = { memberIds: [demo.users.kenji], roleIds: [] }
    await admin.projects('PATCH', `/${project.id}`, { owners })
    owner = await at.open('/console/about', { as: demo.users.kenji })
  })

  /** Every call of a page except those of the shell, which come first. */
  const calls = /\/api\/admin\/(?!profile$|stream$)/
  afterEach(async () => {
    await visit.context.setOffline(false)
    await visit.page.unrouteAll({ behavior: 'ignoreErrors' })
  })
  const isUnreachable = () => visit.page.getByText('Rolecall cannot be reached.')

  test.each(routes.filter((route) => !withoutCalls.includes(route)))(
    '%s says that it loads, that the network is lost, and then that it is stale',
    async (route) => {
      const { page, context } = visit
      const found: Record<string, string[]> = {}
      await page.route(calls, hold)
      await page.goto(addressOf(route, ids))
      await page.getByLabel('Loading').first().waitFor()
      found['loading'] = await faultsOf(visit, `${route}-loading`, /Loading…/)

      await context.setOffline(true)
      await page.unroute(calls)
      await isUnreachable().waitFor()
      await page.getByLabel('Loading').first().waitFor({ state: 'detached' })
      const isWaiting =
        /Rolecall cannot be reached\..* Try now .*It loads automatically when Rolecall responds/
      found['offline'] = await faultsOf(visit, `${route}-offline`, isWaiting)

      await context.setOffline(false)
      // A click in the page itself: the bar may disappear before a pointer reaches it.
      await page.evaluate(() => document.querySelector<HTMLElement>('.connection button')?.click())
      await isUnreachable().waitFor({ state: 'detached' })
      await page.getByText('Not loaded yet').first().waitFor({ state: 'detached' })
      await visit.settled(/./)
      const shown = await page.locator('main').innerText()

      await context.setOffline(true)
      // Any event of the stream makes the page refetch. Another tab holds the stream, as far as this one knows.
      await page.evaluate(() => new BroadcastChannel('rolecall-live').postMessage('reset'))
      await isUnreachable().waitFor()
      const isStale = /Rolecall cannot be reached\. Data on this page is from before .* Try now/
      found['stale'] = await faultsOf(visit, `${route}-stale`, isStale)
      expect((await page.locator('main').innerText()).length).toBeGreaterThan(shown.length / 2)
      expect(found).toEqual({ loading: [], offline: [], stale: [] })
      visit.expectQuiet()
    },
  )

  test.each(withoutCalls)('%s stays as it is without the network', async (route) => {
    const { page, context } = visit
    await page.goto(addressOf(route, ids))
    await visit.settled(/./)
    await context.setOffline(true)
    await page.evaluate(() => new BroadcastChannel('rolecall-live').postMessage('reset'))
    await isUnreachable().waitFor()
    expect(await faultsOf(visit, `${route}-stale`, /Rolecall cannot be reached.* Try now/)).toEqual([])
    visit.expectQuiet()
  })

  test.each(routes)('%s says to the owner of another project that it is closed', async (route) => {
    await owner.page.goto(addressOf(route, ids))
    await owner.settled(/./)
    const says = openToOwners.get(route) ?? /You do not have access to this .*Ask a System Admin/
    expect(await faultsOf(owner, `${route}-forbidden`, says)).toEqual([])
    owner.expectQuiet()
  })
})
