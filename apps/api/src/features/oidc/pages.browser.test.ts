import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { demo } from '@rolecall/chat-sim'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { browserForTests } from '../../../test/browser-for-tests.ts'
import { basic, givenClient, postForm } from '../../../test/oidc.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

/** A phone, in a real browser: a person reads pages, presses buttons, and leaves. */
describe('pages of OpenID Connect at 390 pixels', () => {
  const world = worldForTests('pglite')
  const browser = browserForTests()
  let context: BrowserContext
  let page: Page
  let site: Server
  let siteUrl: string
  /** The requests that the site received, by link and by form. */
  const seen: string[] = []
  const complaints: string[] = []
  beforeAll(async () => {
    site = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      request.on('end', () => {
        if (request.url !== '/favicon.ico') seen.push(`${request.method} ${request.url} ${body}`)
        response.setHeader('content-type', 'text/html')
        response.end('<title>The Site</title>')
      })
    })
    await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening))
    siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}/callback`
  })
  beforeEach(async () => {
    seen.splice(0)
    complaints.splice(0)
    context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    page = await context.newPage()
    page.on('console', (message) => void complaints.push(message.text()))
  })
  afterEach(() => context.close())
  afterAll(() => void site?.close())

  const auth = (clientId: string, more = {}) =>
    `${world.url}/oidc/auth?${new URLSearchParams({
      client_id: clientId,
      redirect_uri: siteUrl,
      response_type: 'code',
      scope: 'openid profile email roles offline_access',
      state: 's',
      ...more,
    })}`
  /** Signs in at the platform's screen. */
  const logIn = async () => {
    await page.waitForURL(({ href }) => href.startsWith(world.sim.url))
    await page.goto(`${page.url()}&login_as=${demo.users.ada}&auto=1`)
  }
  const isReadable = async () => {
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width).toBeLessThanOrEqual(390)
    expect(await page.locator('h1').innerText()).not.toBe('')
    expect(await page.locator('script').count()).toBe(0)
  }

  test('consent: the page says what the site gets, and leads back to it', async () => {
    const { id } = await givenClient(world, {
      name: 'The Wiki',
      isInternal: false,
      redirectUris: [siteUrl],
    })
    await page.goto(auth(id))
    await logIn()
    await isReadable()
    expect(await page.locator('main').innerText()).toContain('Sign in to The Wiki?')
    expect(await page.locator('main').innerText()).toContain('ada.osei')
    // On a shared device, the same sign-in begins again, at the platform's screen.
    await page.getByRole('link', { name: 'Not ada.osei? Use another account' }).click()
    await logIn()
    await page.getByRole('button', { name: 'Allow' }).click()
    await expect.poll(() => page.title()).toBe('The Site')
    expect(seen[0]).toMatch(/^GET \/callback\?code=rcg_\w+&state=s&iss=/)
    expect(complaints).toEqual([])
  }, 60_000)

  test('two tabs: a login of OpenID Connect does not lose one that was begun before it', async () => {
    const wiki = await givenClient(world, { redirectUris: [siteUrl] })
    const plain = new URLSearchParams({
      ...{ client_id: wiki.id, redirect_uri: siteUrl, server_id: demo.mainGuildId, state: 'plain' },
    })
    await page.goto(`${world.url}/api/auth/authorize?${plain}`)
    const [second, third] = [await context.newPage(), await context.newPage()]
    await second.goto(auth(wiki.id, { state: 'second' }))
    await third.goto(auth(wiki.id, { state: 'third' }))
    for (const tab of [page, second, third]) {
      await tab.goto(`${tab.url()}&login_as=${demo.users.ada}&auto=1`)
      await expect.poll(() => tab.title()).toBe('The Site')
    }
    expect(
      seen.filter((line) => /[?&]code=/.test(line)).map((line) => /state=(\w+)/.exec(line)?.[1]),
    ).toEqual(['plain', 'second', 'third'])
  }, 60_000)

  test('form_post: the answer goes by a form, which the policy of the page lets through', async () => {
    const { id } = await givenClient(world, { redirectUris: [siteUrl] })
    await page.goto(auth(id, { response_mode: 'form_post' }))
    await logIn()
    await expect.poll(() => page.title()).toBe('The Site')
    expect(seen[0]).toMatch(/^POST \/callback .*code=rcg_\w+/)
  }, 60_000)

  test('a link that does not work is a page that says so', async () => {
    const { id } = await givenClient(world, { redirectUris: [siteUrl] })
    await page.goto(auth(id, { redirect_uri: `${siteUrl}/elsewhere` }))
    await isReadable()
    expect(await page.locator('h1').innerText()).toBe('This sign-in link is not safe to follow')
    await page.getByText(`${siteUrl}/elsewhere`, { exact: true }).waitFor()
    const links = await page
      .locator('main a')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href')))
    expect(links).toEqual([`/console/projects/${id}/redirects`])
    expect(seen).toEqual([])
  }, 60_000)

  test('a device: the code is typed, confirmed and connected', async () => {
    const tv = await givenClient(world, {
      name: 'The TV',
      redirectUris: [siteUrl],
      oidc: { deviceFlow: true },
    })
    const begun = await postForm(world.url, '/oidc/device_authorization', { scope: 'openid' }, basic(tv))
    await page.goto(`${world.url}/device`)
    await isReadable()
    await page.getByLabel('Code').fill(begun.body.user_code)
    await page.getByRole('button', { name: 'Continue' }).click()
    await isReadable()
    expect(await page.locator('h1').innerText()).toBe('Connect this device to The TV?')
    const code = page.locator('.code')
    expect(await code.innerText()).toBe(begun.body.user_code)
    // The code is on one line, even on a narrow page.
    expect((await code.boundingBox())?.height).toBeLessThan(50)
    expect(await page.locator('nav').count()).toBe(0)
    await page.getByRole('button', { name: 'Continue' }).click()
    await logIn()
    await isReadable()
    expect(await page.locator('h1').innerText()).toBe('Your device is connected')
  }, 60_000)

  test('a logout: the person is asked, and goes where the site wants', async () => {
    const bye = siteUrl.replace('callback', 'bye')
    const { id } = await givenClient(world, {
      name: 'The Shop',
      redirectUris: [siteUrl],
      oidc: { postLogoutRedirectUris: [bye] },
    })
    await page.goto(auth(id))
    await logIn()
    const query = new URLSearchParams({ client_id: id, post_logout_redirect_uri: bye })
    await page.goto(`${world.url}/oidc/session/end?${query}`)
    await isReadable()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await expect.poll(() => seen.at(-1)).toBe('GET /bye ')
    expect(complaints).toEqual([])
  }, 60_000)
})
