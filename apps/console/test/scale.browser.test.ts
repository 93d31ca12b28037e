import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { createProject } from '../../api/src/features/projects/create-project.ts'
import { consoleForTests } from './console-for-tests.ts'
import { gzipBytes, maxFirstLoadBytes } from './first-load.ts'

const projects = 160

const at = consoleForTests()
beforeAll(async () => {
  const { deps } = at.world.service
  for (let number = 1; number <= projects; number++) {
    await createProject(deps, {}, { name: `Project ${String(number).padStart(3, '0')}` })
  }
}, 180_000)

test('a long list is a table of which only the rows that are seen are there, and its end can be reached', async () => {
  const visit = await at.open('/console/projects')
  const { page } = visit
  await page.getByText(`${projects} projects`).waitFor()
  await page.getByRole('link', { name: `Project ${projects}` }).waitFor()
  expect(await page.locator('tbody tr').count()).toBeLessThan(60)
  expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe(`${projects + 1}`)
  await page.locator('.table-frame').evaluate((frame) => frame.scrollTo(0, frame.scrollHeight))
  await page.getByRole('link', { name: 'Project 001' }).click()
  await page.getByRole('heading', { level: 1, name: 'Project 001' }).waitFor()
  await page.goBack()
  await page.getByLabel('Search projects').fill('project 07')
  await page.getByText('10 projects').waitFor()
  expect(await page.getByRole('link', { name: /^Project 07/ }).count()).toBe(10)
  expect(await visit.findings()).toEqual([])
  visit.expectQuiet()
  await visit.close()
})

test('a long list shows rows, and can be scrolled to its end, before the code that measures rows has loaded', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const prepare = (page: Page) =>
    page.route('**/assets/visible-rows-*.js', async (route) => {
      await held
      await route.continue()
    })
  const visit = await at.open('/console/projects', { prepare })
  const { page } = visit
  await page.getByText(`${projects} projects`).waitFor()
  await page.getByRole('link', { name: `Project ${projects}` }).waitFor({ timeout: 10_000 })
  expect(await page.locator('tbody tr[aria-rowindex="2"]').count()).toBe(1)
  await page.locator('.table-frame').evaluate((frame) => frame.scrollTo(0, frame.scrollHeight))
  release()
  await page.getByRole('link', { name: 'Project 001' }).waitFor()
  await visit.close()
})

test('the first page is small, and a visit to another loads no more than that page', async () => {
  // The browser has no files of the console in its cache.
  const visit = await at.open('/api/docs')
  const { page } = visit
  // The stream never ends, and the test below waits until all requests have ended.
  await page.route('**/api/admin/stream', (route) => route.abort())
  const files = new Set<string>()
  page.on('response', (response) => {
    const [, file] = /\/console\/(assets\/.+)$/.exec(response.url()) ?? []
    if (file !== undefined) files.add(file)
  })
  const bytes = () => [...files].reduce((total, file) => total + gzipBytes(file), 0)
  await page.goto(`${at.url}/console/projects`)
  await page.getByRole('link', { name: `Project ${projects}` }).waitFor()
  await page.waitForLoadState('networkidle')
  const first = bytes()
  expect(first).toBeGreaterThan(80_000)
  expect(first).toBeLessThan(maxFirstLoadBytes)
  await page.getByRole('link', { name: 'Access' }).click()
  await page.getByRole('heading', { level: 1, name: 'Access' }).waitFor()
  await page.waitForLoadState('networkidle')
  expect(bytes() - first).toBeLessThan(40_000)
  await visit.close()
})
