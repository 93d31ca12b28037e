import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { givenAdministration } from '../../api/test/administration.ts'
import { call } from '../../api/test/client.ts'
import { consoleForTests } from './console-for-tests.ts'

/** The folder for screenshots. Without it, none are taken. */
const pictures = process.env['SCREENSHOTS']
const name = 'Harbour'.repeat(15).slice(0, 100)
const tabs = ['', '/keys', '/redirects', '/proxy', '/webhooks', '/events', '/sessions', '/audit', '/settings']

const at = consoleForTests()
let projectId: string
beforeAll(async () => {
  const admin = await givenAdministration(at.world)
  const { project } = await admin.create({ name, description: 'tide'.repeat(100) })
  projectId = project.id
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
      ...tabs.map((tab) => `/projects/${projectId}${tab}`),
    ]
    for (const path of paths) {
      await page.goto(`${at.url}/console${path}`)
      await visit.settled(/./)
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      if (over > 0) wide.push(`${path}: ${over}`)
      if (path === '/projects' && width >= 1280) {
        const frame = page.locator('.table-frame')
        expect(await frame.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
      }
      if (pictures) {
        mkdirSync(pictures, { recursive: true })
        const file = `${path.replaceAll('/', '-').replace(projectId, 'id').slice(1)}-${width}-${colorScheme}.png`
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
