import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { demo } from '@rolecall/chat-sim'
import { beforeAll, expect, test } from 'vitest'
import { givenAdministration } from '../../api/test/administration.ts'
import { call } from '../../api/test/client.ts'
import {
  authorizePath,
  type GivenProject,
  givenProject,
  givenSession,
  walkLogin,
} from '../../api/test/given.ts'
import { consoleForTests } from './console-for-tests.ts'

/** The folder for screenshots. Without it, none are taken. */
const pictures = process.env['SCREENSHOTS']
const name = 'Harbour'.repeat(15).slice(0, 100)
const tabs = ['', '/keys', '/redirects', '/proxy', '/webhooks', '/events', '/sessions', '/audit', '/settings']

const at = consoleForTests()
let project: GivenProject
beforeAll(async () => {
  const admin = await givenAdministration(at.world)
  project = await givenProject(at.world, { name, description: 'tide'.repeat(100) })
  await walkLogin(at.world, authorizePath(project.id), { as: demo.users.emil })
  await call(at.url, 'PATCH', '/api/admin/profile', {
    token: admin.token,
    body: { preferredName: name.slice(0, 50) },
  })
}, 180_000)

test.each([
  [390, 'light'],
  [640, 'dark'],
  [1280, 'light'],
  ...(pictures
    ? ([
        [390, 'dark'],
        [1280, 'dark'],
      ] as const)
    : []),
] as const)(
  'long text without spaces fits into %i pixels (%s)',
  async (width, colorScheme) => {
    const visit = await at.open('/console/projects', { width, colorScheme })
    const { page } = visit
    const wide: string[] = []
    const paths = [
      '/projects',
      '/monitoring',
      '/access',
      '/overview',
      ...tabs.map((tab) => `/projects/${project.id}${tab}`),
    ]
    for (const path of paths) {
      await page.goto(`${at.url}/console${path}`)
      await visit.settled(/./)
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      if (over > 0) wide.push(`${path}: ${over}`)
      if (['/projects', '/overview'].includes(path) && width >= 1280) {
        const frames = page.locator('.table-frame')
        expect(
          await frames.evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth)),
          path,
        ).toEqual(path === '/overview' ? [0, 0] : [0])
      }
      if (pictures) {
        mkdirSync(pictures, { recursive: true })
        const file = `${path.replaceAll('/', '-').replace(project.id, 'id').slice(1)}-${width}-${colorScheme}.png`
        await page.screenshot({ path: join(pictures, file) })
      }
    }
    expect(wide).toEqual([])
    await visit.close()
  },
  120_000,
)

test('on a phone, a note wraps in lines of its own size, and the number of a long legend stays whole', async () => {
  const visit = await at.open('/console/overview', { width: 390 })
  const { page } = visit
  await visit.settled(/^Overview$/)
  const note = page.locator('.figure small', { hasText: 'recently active' })
  const apart = await note.evaluate((one) => {
    one.textContent = '12,345 recently active'
    const range = document.createRange()
    range.selectNodeContents(one)
    const tops = [...range.getClientRects()].map(({ top }) => top)
    return tops.length === 0 ? Number.NaN : Math.max(...tops) - Math.min(...tops)
  })
  expect(apart).toBeLessThan(20)

  await page.goto(`${at.url}/console/monitoring`)
  await visit.settled(/^Monitoring$/)
  const number = page.locator('.chart-legend .number').first()
  await page
    .locator('.chart-legend bdi')
    .first()
    .evaluate((one) => {
      one.textContent = 'GET /api/admin/images/{kind}/{id}/{hash}'
    })
  await number.evaluate((one) => {
    one.textContent = '12,345'
  })
  expect((await number.boundingBox())?.height).toBeLessThan(30)
  await visit.close()
}, 60_000)

test('a long placeholder is not cut on a phone, next to a count of any length', async () => {
  const visit = await at.open('/console/webhooks', { width: 390 })
  const { page } = visit
  const count = page.locator('.toolbar-end')
  await count.waitFor()
  const room = () =>
    page.getByRole('searchbox').evaluate((one: HTMLInputElement) => {
      const style = getComputedStyle(one)
      const canvas = document.createElement('canvas').getContext('2d')
      if (!canvas) throw new Error('The canvas has no context.')
      canvas.font = `${style.fontSize} ${style.fontFamily}`
      const padding = Number.parseFloat(style.paddingLeft) + Number.parseFloat(style.paddingRight)
      return one.clientWidth - padding - canvas.measureText(one.placeholder).width
    })
  for (const text of ['1 webhook', '12 webhooks', '123 webhooks', '1,234 webhooks', '12,345 webhooks']) {
    await count.evaluate((one, text) => {
      one.textContent = text
    }, text)
    expect(await room(), text).toBeGreaterThan(0)
  }
  await visit.close()
}, 60_000)

test('with forced colors, the current page, tab, and step, a chosen result, and the arrow of a select are visible', async () => {
  const visit = await at.open(`/console/projects/${project.id}/settings`, { colorScheme: 'dark' })
  const { page } = visit
  await page.emulateMedia({ forcedColors: 'active' })
  await visit.settled(/^Harbour/)
  /** Returns the borders of the links, grouped by whether they are current. */
  const borders = async (links: string, side: string) =>
    page.locator(links).evaluateAll((all, side) => {
      const seen = (isCurrent: boolean) =>
        new Set(
          all
            .filter((one) => one.hasAttribute('aria-current') === isCurrent)
            .map((one) => {
              const style = getComputedStyle(one)
              return `${style.getPropertyValue(`${side}-width`)} ${style.getPropertyValue(`${side}-color`)}`
            }),
        )
      return [[...seen(true)], [...seen(false)]] as const
    }, side)
  for (const [links, side] of [
    ['.side-link', 'border-left'],
    ['.tabs a', 'border-bottom'],
  ] as const) {
    const [current, others] = await borders(links, side)
    expect(current, links).toHaveLength(1)
    expect(others, links).toHaveLength(1)
    expect(current, links).not.toEqual(others)
  }
  await page.keyboard.press('Control+k')
  await page.getByRole('menuitem').first().waitFor()
  await page.keyboard.press('ArrowDown')
  const chosen = page.locator('.menu-item[data-focused]')
  await chosen.waitFor()
  expect(await chosen.evaluate((one) => getComputedStyle(one).outlineStyle)).toBe('solid')
  await page.keyboard.press('Escape')

  await page.goto(`${at.url}/console/projects/new?step=2`)
  await visit.settled(/^New project$/)
  const marks = page.locator('.steps li span')
  expect(await marks.evaluateAll((all) => all.map((one) => getComputedStyle(one).borderTopWidth))).toEqual([
    '1px',
    '3px',
    '1px',
    '1px',
  ])
  await page.goto(`${at.url}/console/monitoring`)
  await visit.settled(/^Monitoring$/)
  const select = page.locator('select').first()
  expect(await select.evaluate((one) => getComputedStyle(one).appearance)).not.toBe('none')
  await visit.close()
}, 60_000)

test('a sentence in the audit log uses the width of its column', async () => {
  const visit = await at.open('/console/audit')
  const sentence = visit.page.locator('tbody bdi', { hasText: 'was created' }).first()
  await sentence.evaluate((one) => {
    one.textContent = 'Harbour watch '.repeat(3)
  })
  const lines = () =>
    visit.page
      .locator('tbody bdi', { hasText: 'Harbour watch' })
      .first()
      .evaluate((one) => {
        const range = document.createRange()
        range.selectNodeContents(one)
        return range.getClientRects().length
      })
  expect(await lines()).toBe(1)
  await visit.close()
}, 60_000)

test('the ID of a project is on one line beside a name of any length', async () => {
  const visit = await at.open('/console/projects', { width: 1000 })
  const ids = visit.page.locator('.copyable > span:first-child')
  await ids.first().waitFor()
  const lines = await ids.evaluateAll((all) =>
    all.map((one) => {
      const range = document.createRange()
      range.selectNodeContents(one)
      return new Set([...range.getClientRects()].map(({ top }) => top)).size
    }),
  )
  expect(new Set(lines)).toEqual(new Set([1]))
  await visit.close()
}, 60_000)

test('on a phone, each line of a value is below the value, not below the label', async () => {
  await givenSession(at.world, project, demo.users.mara)
  const visit = await at.open(`/console/projects/${project.id}/sessions`, { width: 390 })
  const browser = visit.page.locator('td[data-label="Browser"]').first()
  await browser.waitFor()
  const [value, line] = await browser.evaluate((one) => {
    const range = document.createRange()
    const text = [...one.childNodes].find(({ nodeType }) => nodeType === Node.TEXT_NODE)
    if (text) range.selectNode(text)
    return [range.getBoundingClientRect().left, one.querySelector('.cell-sub')?.getBoundingClientRect().left]
  })
  expect(value).toBeGreaterThan(100)
  expect(line).toBe(value)
  await visit.close()
}, 60_000)

test('the ID of a member is on one line', async () => {
  const visit = await at.open('/console/members')
  const row = visit.page.locator('tbody tr', { hasText: 'mara.lind' })
  const id = row.locator('.copyable > span:first-child')
  await id.waitFor()
  await row
    .locator('.chips')
    .last()
    .evaluate((one) => {
      one.textContent = 'Harbour watch '.repeat(20)
    })
  const lines = await id.evaluate((one) => {
    const range = document.createRange()
    range.selectNodeContents(one)
    return range.getClientRects().length
  })
  expect(lines).toBe(1)
  await visit.close()
}, 60_000)

test('the username of a member is below the name, at the same left edge', async () => {
  const visit = await at.open('/console/members')
  const row = visit.page.locator('tbody tr', { hasText: 'mara.lind' })
  const name = await row.getByText('Mara Lind').boundingBox()
  const username = await row.getByText('mara.lind').boundingBox()
  if (!name || !username) throw new Error('The row of Mara Lind is not visible.')
  expect(username.x).toBe(name.x)
  expect(username.y).toBeGreaterThanOrEqual(name.y + name.height)
  await visit.close()
}, 60_000)

test('the own name ends with an ellipsis', async () => {
  const visit = await at.open('/console/about')
  const own = visit.page.locator('.side-self-name bdi')
  await own.waitFor()
  const style = await own.evaluate((one) => ({
    ...getComputedStyle(one),
    isCut: one.scrollWidth > one.clientWidth,
  }))
  expect([style.textOverflow, style.isCut]).toEqual(['ellipsis', true])
  await visit.close()
}, 60_000)
