import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { call } from '../../api/test/client.ts'
import { givenAdmin } from '../../api/test/given.ts'
import { consoleForTests } from './console-for-tests.ts'

const at = consoleForTests()

/** Presses Tab until an element with this name has the focus. */
async function tabTo(page: Page, name: RegExp) {
  const names: string[] = []
  for (let presses = 0; presses < 60; presses++) {
    const focused = await page.evaluate(() => {
      const { activeElement: one } = document
      const label =
        one instanceof HTMLInputElement || one instanceof HTMLTextAreaElement ? one.labels?.[0] : undefined
      return (one?.getAttribute('aria-label') ?? label?.textContent ?? one?.textContent ?? '').trim()
    })
    if (name.test(focused)) return
    names.push(focused.slice(0, 40))
    await page.keyboard.press('Tab')
  }
  throw new Error(`nothing is called ${name}; there were ${names.join(' | ')}`)
}

/** Waits until the element of this locator has the focus. */
const toHaveFocus = (one: Locator) =>
  expect
    .poll(() => one.evaluate((element) => element === document.activeElement), { timeout: 20_000 })
    .toBe(true)

test('a project is created by the keyboard alone, from the palette to the key, which works', async () => {
  const visit = await at.open('/console/projects')
  const { page } = visit
  await page.getByRole('heading', { level: 1, name: 'Projects' }).waitFor()

  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.type('new pro')
  await page.getByRole('menuitem', { name: 'New project' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'New project' }).waitFor()

  await tabTo(page, /^A site that you build/)
  await tabTo(page, /^Next$/)
  await page.keyboard.press('Enter')
  await page.getByText('Name is required').waitFor()
  await toHaveFocus(page.getByLabel('Name'))
  await page.keyboard.type('Tide table')
  await page.keyboard.press('Enter')

  await page.getByRole('heading', { level: 2, name: 'Addresses' }).waitFor()
  await tabTo(page, /^Redirect URIs/)
  await page.keyboard.type('http://tides.example/auth/callback')
  await page.getByText('must begin with https://').waitFor()
  await tabTo(page, /^Next$/)
  await page.keyboard.press('Enter')
  await toHaveFocus(page.getByLabel('Redirect URIs'))
  await page.keyboard.press('Control+a')
  await page.keyboard.type('https://tides.example/auth/callback')
  await page.getByText('All of them are valid.').waitFor()
  await tabTo(page, /^Next$/)
  await page.keyboard.press('Enter')

  await page.getByRole('heading', { level: 2, name: 'Servers' }).waitFor()
  await tabTo(page, /^Check whether members hold roles/)
  await page.keyboard.press('Space')
  await tabTo(page, /^Next$/)
  await page.keyboard.press('Enter')

  await page.getByRole('heading', { level: 2, name: 'Review' }).waitFor()
  await page.getByText('Harbour Club: read_members').waitFor()
  await tabTo(page, /^Create project$/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: '“Tide table” is ready' }).waitFor()
  await toHaveFocus(page.getByRole('heading', { level: 1, name: '“Tide table” is ready' }))
  const key = (await page.locator('.secret code').textContent()) ?? ''

  await page.getByText('ROLECALL_CLIENT_ID=').first().waitFor()
  const environmentPre = page.locator('.code', { hasText: 'ROLECALL_CLIENT_ID=' }).locator('pre').first()
  const environment = await environmentPre.textContent()
  expect(environment).toContain(`ROLECALL_URL=${at.url}`)
  expect(environment).toContain(`ROLECALL_API_KEY=${key}`)
  expect(environment).toContain('ROLECALL_APP_URL=https://tides.example\n')
  expect(await visit.findings()).toEqual([])
  const secretOf = (text: string | null) => /ROLECALL_SECRET=(\S+)/.exec(text ?? '')?.[1]
  expect(secretOf(environment)).toMatch(/^[0-9a-f]{64}$/)
  await page.getByLabel('SvelteKit').check()
  const heads = page.locator('.code-head')
  await heads.filter({ hasText: 'src/routes/api/crew/+server.ts' }).waitFor()
  await page.getByLabel('Express').check()
  await heads.filter({ hasText: 'app.mjs' }).waitFor()
  expect(await heads.allTextContents()).toEqual([
    expect.stringMatching(/^Install/),
    expect.stringMatching(/^Environment/),
    expect.stringMatching(/^app\.mjs/),
    expect.stringMatching(/^Start/),
    expect.stringMatching(/^Or save the key in key\.txt/),
  ])
  expect(secretOf(await environmentPre.textContent())).toBe(secretOf(environment))

  const reply = await call(at.url, 'POST', '/api/auth/validate', { key, body: { token: 'rcs_unknown' } })
  expect(reply.body['code']).toBe('INVALID_TOKEN')
  const token = await givenAdmin(at.world)
  const { body } = await call(at.url, 'GET', '/api/admin/projects?name=tide', { token })
  expect(body.data[0]).toMatchObject({
    name: 'Tide table',
    redirectUris: ['https://tides.example/auth/callback'],
    serverAccess: [{ scopes: ['read_members'] }],
  })
  // The page deletes stored input after it was sent, and never stores the key.
  const kept = await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))
  expect(kept).not.toContain('Tide table')
  expect(kept).not.toContain(key)
  visit.expectQuiet()
  await visit.close()
})

test('a key is revoked only after its name was typed, and the question says what will happen', async () => {
  const token = await givenAdmin(at.world)
  const made = await call(at.url, 'POST', '/api/admin/projects', { token, body: { name: 'Old wiki' } })
  const visit = await at.open(`/console/projects/${made.body.project.id}/keys`)
  const { page } = visit
  await page.getByRole('button', { name: /^Revoke rck_/ }).click()
  const question = page.getByRole('alertdialog')
  await question.getByText('1 API key will stop working immediately.').waitFor()
  await question.getByText('This key was never used, so no program depends on it.').waitFor()
  expect(
    await question.getByRole('button', { name: 'Cancel' }).evaluate((one) => one === document.activeElement),
  ).toBe(true)
  const act = question.getByRole('button', { name: 'Revoke key' })
  expect(await act.isDisabled()).toBe(true)
  expect(await visit.findings()).toEqual([])
  await question.getByLabel('Type Old wiki to confirm').fill('Old wiki')
  await act.click()
  await page.getByText(/is revoked\.$/).waitFor()
  await page.getByRole('button', { name: /^Restore key rck_/ }).click()
  await page.getByText(/^rck_\w+… is restored\.$/).waitFor()
  await page.getByRole('button', { name: 'Replace…' }).click()
  await page.getByRole('button', { name: 'Replace key' }).click()
  await toHaveFocus(page.getByRole('group', { name: 'API key', exact: true }))
  await page.setViewportSize({ width: 390, height: 900 })
  const table = page.getByRole('group', { name: 'API keys' })
  expect(await table.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0)
  await page.goto(`${at.url}/console/projects/${made.body.project.id}/settings`)
  const tab = page.locator('.tabs a[aria-current="page"]')
  await tab.waitFor()
  await expect.poll(() => tab.evaluate((one) => one.getBoundingClientRect().right)).toBeLessThanOrEqual(390)
  await page.goto(`${at.url}/console/audit`)
  await page.getByRole('cell', { name: /mara/ }).first().waitFor()
  visit.expectQuiet()
  await visit.close()
})

test('access is given and taken away in its cell, and the trail says who did', async () => {
  const token = await givenAdmin(at.world)
  await call(at.url, 'POST', '/api/admin/projects', { token, body: { name: 'Crew shop', serverAccess: [] } })
  const visit = await at.open('/console/access?name=crew')
  const { page } = visit
  await page.getByRole('button', { name: 'Crew shop in Harbour Club: None' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Grant access' }).click()
  await page.getByRole('button', { name: 'Crew shop in Harbour Club: sign in, members, checks' }).waitFor()
  await page.getByText(/granted Crew shop access to Harbour Club/).waitFor()
  await page.getByRole('button', { name: 'Crew shop in Harbour Club: sign in, members, checks' }).click()
  await page.getByRole('button', { name: 'Revoke access…' }).click()
  await page.getByLabel('Type Crew shop to confirm').fill('Crew shop')
  await page.getByRole('button', { name: 'Revoke access' }).click()
  await page.getByRole('button', { name: 'Crew shop in Harbour Club: None' }).waitFor()
  visit.expectQuiet()
  await visit.close()
})

test('`?` lists the keys and switches single ones off, brackets turn the pages, and neither does anything in a field', async () => {
  const token = await givenAdmin(at.world)
  for (let made = 0; made < 55; made++) {
    await call(at.url, 'POST', '/api/admin/projects', { token, body: { name: `Buoy ${made}` } })
  }
  const visit = await at.open('/console/audit')
  const { page } = visit
  await visit.settled(/^Audit$/)
  await page.getByRole('button', { name: 'Older' }).waitFor()
  await page.keyboard.press(']')
  await page.waitForURL(/cursor=/)
  await page.getByRole('button', { name: 'Newest' }).waitFor()
  await page.keyboard.press('[')
  await page.waitForURL((url) => !url.searchParams.has('cursor'))
  await page.getByLabel('Person').focus()
  await page.keyboard.press('?')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await page.getByLabel('Person').fill('')
  // An open list of people hides the page behind it.
  await page.keyboard.press('Escape')
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('?')
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await list.getByText('g o', { exact: true }).waitFor()
  expect(await visit.findings()).toEqual([])
  await list.getByLabel('Enable single-key shortcuts').uncheck()
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1 }).focus()
  await page.keyboard.press('?')
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Command palette' }).waitFor()
  await page.keyboard.type('keyboard')
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
  expect(await list.getByLabel('Enable single-key shortcuts').isChecked()).toBe(false)
  visit.expectQuiet()
  await visit.close()
}, 60_000)

test('`t c` copies the period of a page with its zone, and `t v` shows it on another one', async () => {
  const visit = await at.open('/console/audit?from=2026-11-20T08:00&to=2026-11-21T09:30')
  const { page } = visit
  await visit.settled(/^Audit$/)
  await page.keyboard.type('tc')
  await page.getByText('The period is copied.').waitFor()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied).toMatch(/^2026-11-20T08:00[+-]\d\d:\d\d\/2026-11-21T09:30[+-]\d\d:\d\d$/)
  await page.keyboard.type('gi')
  await page.getByRole('heading', { level: 1, name: 'Monitoring' }).waitFor()
  await page.getByLabel('Period', { exact: true }).waitFor()
  await page.keyboard.type('tv')
  await expect.poll(() => new URL(page.url()).searchParams.get('from')).toBe('2026-11-20T08:00')
  expect(await page.getByLabel('Period', { exact: true }).inputValue()).toBe('pasted')
  await page.getByLabel('Period', { exact: true }).selectOption('7d')
  await expect.poll(() => new URL(page.url()).searchParams.get('from')).toBe(null)
  await page.evaluate(() => navigator.clipboard.writeText('yesterday'))
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.type('tv')
  await page.getByText(/^The clipboard contains no period/).waitFor()
  visit.expectQuiet()
  await visit.close()
})
