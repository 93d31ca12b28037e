import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Administration, givenAdministration } from '../../api/test/administration.ts'
import { makeShown } from './pages.ts'
import { type ConsoleWorld, startConsole } from './visit.ts'

let at: ConsoleWorld
let admin: Administration
beforeAll(async () => {
  at = await startConsole()
  admin = await givenAdministration(at.world)
  await makeShown(admin, at.world)
}, 180_000)
afterAll(() => at?.close())

test('a page without access, a missing record, and a refused form say so in words for people', async () => {
  const visit = await at.open('/console/projects')
  const { page } = visit
  await visit.settled(/^Projects$/)
  const refuse = (status: number, code: string, errors: readonly object[] = []) =>
    page.route(/\/api\/admin\/access|\/api\/admin\/projects\/access/, (route) =>
      route.fulfill({
        status,
        contentType: 'application/problem+json',
        body: JSON.stringify({
          type: 'about:blank',
          title: 'No.',
          status,
          detail: 'Correct what `errors` names',
          code,
          errors,
          requestId: 'r-1',
        }),
      }),
    )
  await refuse(403, 'NOT_SYSTEM_ADMIN')
  await page.getByRole('link', { name: 'Access', exact: true }).click()
  await page.getByText('You do not have access to this').first().waitFor()
  expect(await visit.findings()).toEqual([])
  await page.goto(`${at.url}/console/projects/00000000-0000-4000-8000-000000000000`)
  await page.getByText('This does not exist').waitFor()
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' })
  expect(await crumbs.innerText()).toMatch(/^Projects\s*\/\s*Project$/)
  const guide = page.getByRole('link', { name: 'Guide' })
  expect(await guide.getAttribute('href')).toMatch(/docs\/guides\/administering\.md$/)
  await visit.close()
})
