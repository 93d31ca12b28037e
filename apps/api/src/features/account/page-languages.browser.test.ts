import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { demo } from '@rolecall/chat-sim'
import { languages } from '@rolecall/contract'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findChromium } from '../../../test/chromium.ts'
import { authorizePath, givenProject, givenSession } from '../../../test/given.ts'
import { authPath, givenClient } from '../../../test/oidc.ts'
import { startWorld, type World } from '../../../test/service.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const pictures = process.env['SCREENSHOTS']
const host = 'wiki.example'

let world: World
let browser: Browser
/** Pages by a name for their pictures: a path, of the service or, behind a proxy, of a protected host. */
let pages: Record<string, { readonly path: string; readonly isHost?: true }>
let consent: string
beforeAll(async () => {
  world = await startWorld('pglite', { TRUST_PROXY: '127.0.0.1', RATE_LIMIT_GLOBAL: '0' })
  const name = 'The Wiki of Everything That Ever Happened in the Harbour'
  const wiki = await givenProject(world, {
    name,
    forwardAuth: { hosts: [host], anyOf: [demo.roles.captain] },
  })
  const off = await givenProject(world, { name: 'Old Charts', isActive: false })
  const shop = await givenClient(world, { name: 'The Shop', isInternal: false })
  await givenSession(world, wiki)
  consent = authPath(shop, { scope: 'openid profile email roles offline_access' })
  pages = {
    damaged: { path: '/api/auth/authorize?client_id=x' },
    unsafe: { path: authorizePath(wiki.id, { redirect_uri: 'https://elsewhere.example/callback' }) },
    off: { path: authorizePath(off.id) },
    server: { path: authorizePath(wiki.id, { server_id: demo.gamesGuildId }) },
    over: { path: '/api/auth/callback?state=made-up&code=x' },
    'not-found': { path: '/nothing' },
    account: { path: '/account?done=session' },
    'sign-out': { path: '/account/log-out' },
    device: { path: '/device?user_code=ABCD-EFGH' },
    'oidc-error': { path: authPath(shop, { redirect_uri: 'https://elsewhere.example/' }) },
    'oidc-sign-out': { path: '/oidc/session/end' },
    'oidc-signed-out': { path: '/oidc/session/end/success' },
    denied: { path: '/_rolecall/denied', isHost: true },
    'host-sign-out': { path: '/_rolecall/logout', isHost: true },
  }
  browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox', '--disable-gpu'] })
}, 120_000)
afterAll(async () => {
  await browser?.close()
  await world?.close()
})

test.each(languages)(
  'every page in %s fits at 390 and 1280 pixels, and axe finds nothing',
  async (language) => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    await context.addCookies([{ name: 'svc_lang', value: language, url: world.url }])
    const page = await context.newPage()
    await page.goto(`${world.url}/account`)
    await page.waitForURL(({ href }) => href.startsWith(world.sim.url))
    await page.goto(`${page.url()}&login_as=${demo.users.ada}&auto=1`)
    await page.goto(`${world.url}${consent}`)
    const interaction = new URL(page.url()).pathname
    expect(interaction).toMatch(/^\/oidc\/interaction\//)

    for (const [name, { path, isHost }] of Object.entries({
      ...pages,
      consent: { path: interaction, isHost: undefined },
    })) {
      const headers = { 'x-forwarded-host': host, 'x-forwarded-proto': 'https', 'accept-language': language }
      await page.setExtraHTTPHeaders(isHost ? headers : {})
      await page.goto(`${world.url}${path}`)
      expect(await page.locator('html').getAttribute('lang'), name).toBe(language)
      expect(await page.locator('script').count(), name).toBe(0)
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 844 })
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
        expect({ name, width, overflow }).toEqual({ name, width, overflow: 0 })
        if (pictures) {
          mkdirSync(pictures, { recursive: true })
          await page.screenshot({ path: join(pictures, `${name}-${language}-${width}.png`), fullPage: true })
        }
      }
      await page.setViewportSize({ width: 390, height: 844 })
      // The page has no script of its own: the browser's tools run this one.
      const found = await page.evaluate(`${axe};axe.run().then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`)
      expect({ name, found }).toEqual({ name, found: [] })
    }
    await context.close()
  },
  120_000,
)

test('a person changes the language on the page, and it stays', async () => {
  const context = await browser.newContext({ locale: 'de-DE' })
  const page = await context.newPage()
  await page.goto(`${world.url}${pages['unsafe']?.path}`)
  expect(await page.locator('h1').innerText()).toBe('Dieser Anmeldelink ist nicht sicher')
  await page.getByRole('navigation', { name: 'Sprache' }).getByRole('link', { name: '日本語' }).click()
  await expect.poll(() => page.locator('h1').innerText()).toBe('このログインリンクは安全ではありません')
  await page.goto(`${world.url}/device`)
  expect(await page.locator('h1').innerText()).toBe('デバイスを接続')
  await context.close()
})
