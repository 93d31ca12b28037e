import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../../tools/free-port.js'
import { launchChromium, watchComplaints } from './chromium.ts'
import { type Demo, demoFolder } from './start-demo.ts'
import { chooseAndAgree, logIn, shoot } from './visitor.ts'

let folder: Awaited<ReturnType<typeof demoFolder>>
let browser: Browser

beforeAll(async () => {
  folder = await demoFolder()
  browser = await launchChromium()
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await folder?.remove()
})

describe('the demo site', () => {
  let demo: Demo
  let context: BrowserContext
  let page: Page
  let complaints: string[]

  beforeAll(async () => {
    demo = await folder.start()
  }, 120_000)
  afterAll(async () => {
    expect(await demo.stop()).toBe(0)
  })
  beforeEach(async () => {
    context = await browser.newContext()
    complaints = watchComplaints(context)
    page = await context.newPage()
  })
  afterEach(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })

  test('logs a member in by the chat platform and shows who they are, with their roles', async () => {
    await page.goto(demo.siteUrl)
    await shoot(page, 'welcome')
    await page.getByRole('link', { name: 'Sign in with Discord' }).click()
    await shoot(page, 'choose')
    await page.getByRole('button', { name: 'Tomás Vrána' }).click()
    await shoot(page, 'consent')
    await page.getByRole('button', { name: 'Authorize' }).click()
    await page.getByRole('heading', { name: 'Tomás Vrána' }).waitFor()
    expect(await page.locator('#roles li').allInnerTexts()).toEqual(['Deckhand', 'Starboard watch'])
    expect(new URL(page.url()).search).toBe('')
    expect(await page.evaluate("document.querySelector('.picture').naturalWidth")).toBeGreaterThan(0)
    await shoot(page, 'member')
  })

  test('shows a role that is given on the chat platform, without a reload, and its loss', async () => {
    await logIn(page, demo, 'Rosa Quint')
    await page.evaluate('window.isSamePage = true')
    const [control] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'Add or remove a role' }).click(),
    ])
    await page.locator('#source', { hasText: 'gateway' }).waitFor()
    const took: number[] = []
    for (const state of ['attached', 'detached', 'attached', 'detached', 'attached'] as const) {
      await control.bringToFront()
      await control.getByRole('button', { name: /Captain/ }).click()
      await page.bringToFront()
      const from = performance.now()
      await page.locator('#roles li', { hasText: 'Captain' }).waitFor({ state, timeout: 5_000 })
      took.push(performance.now() - from)
    }
    // Each change must appear within a second. On a busy machine, one of them may be later.
    expect(took.toSorted((a, b) => a - b)[2], `${took.map(Math.round)}`).toBeLessThan(1_000)
    expect(await page.evaluate('window.isSamePage')).toBe(true)
  })

  test('shows each answer of the service behind its button, and never a token', async () => {
    await logIn(page, demo, 'Ada Osei')
    const seen: string[] = []
    for (const [button, wire] of [
      ['Validate', 'POST /api/auth/validate'],
      ['Refresh', 'POST /api/auth/token/refresh'],
      ['List sessions', 'GET /api/auth/sessions'],
      ['Validate', 'POST /api/auth/validate'],
    ] as const) {
      await page.getByRole('button', { name: button, exact: true }).click()
      await page.locator('#answer .wire code', { hasText: wire }).waitFor()
      expect(await page.locator('#answer .badge').innerText()).toBe('200')
      seen.push(await page.content(), page.url())
    }
    await shoot(page, 'answer')
    const cookies = await context.cookies()
    expect(cookies.every(({ httpOnly }) => httpOnly)).toBe(true)
    const storage = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    )
    expect(storage).toBe('[{},{},""]')
    for (const text of [...seen, JSON.stringify(cookies)]) expect(text).not.toMatch(/rc[ksr]_[A-Za-z0-9]/)
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.getByRole('heading', { name: 'Members only' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Members only' }).waitFor()
    const way = page.getByRole('link', { name: 'Rolecall console' })
    expect(await way.getAttribute('href')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/$/)
  })

  test('revokes the session of another browser, whose page says so by itself', async () => {
    await logIn(page, demo, 'Joon Park')
    const other = await browser.newContext()
    const otherComplaints = watchComplaints(other)
    const otherPage = await other.newPage()
    await logIn(otherPage, demo, 'Joon Park')
    await page.reload()
    const sessions = page.locator('.sessions li[data-kind=project]')
    await sessions.filter({ hasNotText: 'this session' }).getByRole('button').click()
    await page.locator('#answer .wire', { hasText: 'DELETE' }).waitFor()
    expect(await sessions.count()).toBe(1)
    await otherPage.bringToFront()
    await otherPage.getByText('This session has ended.').waitFor({ timeout: 5_000 })
    await shoot(otherPage, 'ended')
    await otherPage.reload()
    await otherPage.getByText('Your session has ended').waitFor()
    await other.close()
    expect(otherComplaints).toEqual([])
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('heading', { name: 'Members only' }).waitFor()
  })

  test('says readably who was refused, and why', async () => {
    await page.goto(`${demo.siteUrl}/login`)
    await chooseAndAgree(page, 'Ada Osei', 'Cancel')
    await page.getByRole('heading', { name: 'You were not signed in' }).waitFor()
    expect(await page.locator('main').innerText()).toContain('access_denied')
    await shoot(page, 'refused')
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Not you?' }).click()
    await chooseAndAgree(page, 'Emil Strand')
    await page.getByText('not a member of Harbour Club').waitFor()
    await page.goto(`${demo.siteUrl}/callback?code=rcc_x&state=${'a'.repeat(43)}`)
    await page.getByRole('heading', { name: 'This sign-in was not started here' }).waitFor()
    // The browser itself logs the status of a refused page.
    expect(complaints.filter((text) => !/status of 40[03]/.test(text))).toEqual([])
    complaints.length = 0
  })

  test('lets two tabs log in at once, and both complete', async () => {
    const second = await context.newPage()
    for (const tab of [page, second]) await tab.goto(`${demo.siteUrl}/login`)
    for (const tab of [page, second]) await tab.getByRole('button', { name: 'Mara Lind' }).click()
    for (const tab of [page, second]) {
      await tab.getByRole('button', { name: 'Authorize' }).click()
      await tab.getByRole('heading', { name: 'Mara Lind' }).waitFor()
    }
    await page.reload()
    await page.getByRole('heading', { name: 'Mara Lind' }).waitFor()
  })

  test('is used by keyboard alone', async () => {
    await page.goto(demo.siteUrl)
    const press = async (name: string) => {
      for (let presses = 0; presses < 60; presses++) {
        const focused = await page.evaluate("document.activeElement?.closest('a, button')?.innerText ?? ''")
        if (String(focused).includes(name)) return page.keyboard.press('Enter')
        await page.keyboard.press('Tab')
      }
      throw new Error(`The Tab key never gets to ${name}`)
    }
    await press('Sign in with Discord')
    await page.waitForURL(/oauth2/)
    await press('piper9041')
    await page.getByRole('button', { name: 'Authorize' }).waitFor()
    await press('Authorize')
    await page.getByRole('heading', { name: 'Piper' }).waitFor()
    await press('Sign out')
    await page.getByRole('heading', { name: 'Members only' }).waitFor()
  })

  test('takes no button that another site presses, and no other host name', async () => {
    await logIn(page, demo, 'Kenji Mori')
    const headers = {
      cookie: (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; '),
    }
    for (const origin of [undefined, 'null', 'http://evil.example', demo.chatUrl]) {
      const answer = await fetch(`${demo.siteUrl}/logout`, {
        method: 'POST',
        headers: { ...headers, ...(origin && { origin }) },
      })
      expect(answer.status).toBe(403)
    }
    await page.goto(demo.siteUrl.replace('127.0.0.1', 'localhost'))
    await page.getByRole('heading', { name: 'Kenji Mori' }).waitFor()
    expect(page.url()).toMatch(demo.siteUrl)
  })

  test('never scrolls sideways on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    await logIn(page, demo, 'يسرى حداد')
    await page.getByRole('button', { name: 'Validate' }).click()
    await page.locator('#answer .wire').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  })

  test('prints requests that work as they are printed', async () => {
    const [ask, administer] = demo.output().match(/(export .+\n *)?curl(\\\n|.)+/g) ?? []
    const run = async (command = '') => JSON.parse((await promisify(execFile)('sh', ['-c', command])).stdout)
    expect(await run(ask)).toMatchObject({ member: { username: 'ada.osei' } })
    expect(await run(administer)).toMatchObject({ data: [{ memberId: expect.any(String) }, {}] })
  })

  test('says in one line that a demo runs in this folder, and leaves its log alone', async () => {
    const ports = { PORT: await freePort(), DEMO_PORT: await freePort(), CHAT_SIM_PORT: await freePort() }
    const log = () => readFileSync(join(folder.path, '.rolecall', 'service.log'), 'utf8')
    const before = log()
    const second = folder.launch(ports)
    expect(await second.ended).toBe(1)
    expect(second.output()).toMatch(/^A demo already runs in \S+\.rolecall\. Stop it first\. .*\n$/)
    expect(log().startsWith(before)).toBe(true)
  })

  test('says in one line that its ports are taken, and how to go on', async () => {
    const second = folder.launch()
    expect(await second.ended).toBe(1)
    expect(second.output().trim().split('\n')).toHaveLength(1)
    expect(second.output()).toMatch(
      /^Ports \d+, \d+, and \d+ are in use\. .* PORT=\d+ DEMO_PORT=\d+ CHAT_SIM_PORT=\d+ npm start$/m,
    )
  })
})
