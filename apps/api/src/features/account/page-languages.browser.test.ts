import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { demo } from '@rolecall/chat-sim'
import { languages } from '@rolecall/contract'
import { beforeAll, expect, test } from 'vitest'
import { axeFindings } from '../../../test/axe.ts'
import { browserForTests } from '../../../test/browser-for-tests.ts'
import { call } from '../../../test/client.ts'
import { authorizePath, givenAdmin, givenProject, givenSession } from '../../../test/given.ts'
import { authPath, givenClient } from '../../../test/oidc.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'
import { type Say, sayIn } from '../../languages/say.ts'

const pictures = process.env['SCREENSHOTS']
const host = 'wiki.example'

const world = worldForTests('pglite', { TRUST_PROXY: '127.0.0.1', RATE_LIMIT_GLOBAL: '0' })
const browser = browserForTests()
/** The pages, by the names of their screenshots. A page behind a proxy belongs to a protected host. */
interface ShownPage {
  readonly path: string
  readonly title: (say: Say) => string
  readonly isHost?: true
}
let pages: Record<string, ShownPage>
let consent: string
beforeAll(async () => {
  const name = 'The Wiki of Everything That Ever Happened in the Harbour'
  const wiki = await givenProject(world, { name, isInternal: true })
  const off = await givenProject(world, { name: 'Old Charts', isActive: false })
  const shop = await givenClient(world, { name: 'The Shop', isInternal: false })
  await givenSession(world, wiki)
  const forwardAuth = { hosts: [host], anyOf: [demo.roles.captain, demo.roles.crew] }
  const token = await givenAdmin(world)
  const protect = await call(world.url, 'PATCH', `/api/admin/projects/${wiki.id}`, {
    token,
    body: { forwardAuth },
  })
  expect(protect.status, protect.text).toBe(200)
  consent = authPath(shop, { scope: 'openid profile email roles offline_access' })
  const unsafe = authorizePath(wiki.id, { redirect_uri: 'https://elsewhere.example/callback' })
  const server = authorizePath(wiki.id, { server_id: demo.gamesGuildId })
  const oidcError = authPath(shop, { redirect_uri: 'https://elsewhere.example/' })
  pages = {
    damaged: { path: '/api/auth/authorize?client_id=x', title: (say) => say('badLinkTitle') },
    unsafe: { path: unsafe, title: (say) => say('unsafeLinkTitle') },
    off: { path: authorizePath(off.id), title: (say) => say('siteOffTitle') },
    server: { path: server, title: (say) => say('noServerTitle') },
    over: { path: '/api/auth/callback?state=made-up&code=x', title: (say) => say('overTitle') },
    'not-found': { path: '/nothing', title: (say) => say('notFoundTitle') },
    account: { path: '/account?done=session', title: (say) => say('accountTitle') },
    'sign-out': { path: '/account/log-out', title: (say) => say('ssoTitle') },
    device: { path: '/device?user_code=ABCD-EFGH', title: (say) => say('deviceTitle') },
    'oidc-error': { path: oidcError, title: (say) => say('unsafeLinkTitle') },
    'oidc-sign-out': { path: '/oidc/session/end', title: (say) => say('logoutTitle') },
    'oidc-signed-out': { path: '/oidc/session/end/success', title: (say) => say('signedOutTitle') },
    denied: { path: '/_rolecall/denied', title: (say) => say('roleTitle'), isHost: true },
    'host-sign-out': {
      path: '/_rolecall/logout',
      title: (say) => say('hostLogoutTitle', { host }),
      isHost: true,
    },
  }
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

    const asked: ShownPage = { path: interaction, title: (say) => say('consentTitle', { site: 'The Shop' }) }
    for (const [name, { path, title, isHost }] of Object.entries({ ...pages, consent: asked })) {
      const headers = { 'x-forwarded-host': host, 'x-forwarded-proto': 'https', 'accept-language': language }
      await page.setExtraHTTPHeaders(isHost ? headers : {})
      await page.goto(`${world.url}${path}`)
      expect(await page.locator('html').getAttribute('lang'), name).toBe(language)
      expect(await page.locator('h1').innerText(), name).toBe(title(sayIn(language)))
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
      // Colors are the same in each language.
      const options = { rules: { 'color-contrast': { enabled: language === languages[0] } } }
      const found = await axeFindings(page, options)
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
