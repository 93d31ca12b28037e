import { demo } from '@rolecall/chat-sim'
import { languages } from '@rolecall/contract'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { atPlatform, authorizePath, Browser, openLogin } from '../../../test/given.ts'
import { authPath, givenClient } from '../../../test/oidc.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

const html = { accept: 'text/html' }

describe.each(ciEngines)('the language of a page on %s', (engine) => {
  const world = worldForTests(engine, { RATE_LIMIT_GLOBAL: '0' })
  const project = projectForTests(world)

  const refusedPath = (more: Record<string, string> = {}) =>
    authorizePath(project.id, { redirect_uri: 'https://evil.example/', ...more })
  const languageOf = ({ text, headers }: Awaited<ReturnType<Browser['get']>>) => {
    const [, lang] = /<html lang="([\w-]+)">/.exec(text) ?? []
    expect(headers.get('content-language')).toBe(lang)
    expect(headers.get('vary')).toMatch(/\bAccept-Language\b/)
    return lang
  }
  const read = async (path: string, headers: Record<string, string> = {}, browser = new Browser(world.url)) =>
    languageOf(await browser.get(path, { ...html, ...headers }))

  test('is that of ui_locales, else the choice, else the browser, else English', async () => {
    const german = { 'accept-language': 'de' }
    const chosen = { ...german, cookie: 'svc_lang=ja' }
    expect(await read(refusedPath({ ui_locales: 'xx fr' }), chosen)).toBe('fr')
    expect(await read(refusedPath({ ui_locales: 'xx' }), chosen)).toBe('ja')
    expect(await read(refusedPath(), chosen)).toBe('ja')
    expect(await read(refusedPath(), { ...german, cookie: 'svc_lang=made-up' })).toBe('de')
    expect(await read(refusedPath(), german)).toBe('de')
    expect(await read(refusedPath(), { 'accept-language': 'xx' })).toBe('en')
    expect(await read('/nothing/here', german)).toBe('de')
  })

  test('leaves codes, problems and technical details in English', async () => {
    const page = await new Browser(world.url).get(refusedPath({ ui_locales: 'pl' }), html)
    expect(page.text).toContain('Ten link do logowania nie jest bezpieczny')
    expect(page.text).toMatch(/<span lang="en">[^<]*redirect/i)
    const problem = await new Browser(world.url).get(refusedPath({ ui_locales: 'pl' }))
    expect(problem.body).toMatchObject({ code: 'REDIRECT_URI_NOT_ALLOWED' })
    expect(problem.text).not.toMatch(/[ąćęłńśźż]/)
  })

  test.each(['/api/auth/authorize', '/api/auth/sso/authorize', '/api/auth/admin/login'])(
    'asked for at %s is kept to the end of the login',
    async (path) => {
      const browser = new Browser(world.url)
      const query = path.includes('admin') ? '' : (authorizePath(project.id).split('?')[1] ?? '')
      const screen = await openLogin(browser, `${path}?${new URLSearchParams(query)}&ui_locales=nl`)
      expect(await read('/api/auth/callback?state=other&code=x', {}, browser)).toBe('nl')
      if (!path.includes('admin')) return
      const end = await browser.get(await atPlatform(screen, { as: demo.users.emil }), html)
      expect([end.status, languageOf(end)]).toEqual([403, 'nl'])
      expect(end.text).toContain('Dit account is geen lid van de server Harbour Club.')
      // The address is valid once, so there is nothing to return to.
      expect(end.text).not.toContain('<nav')
    },
  )

  test('asked for by OpenID Connect is kept for its pages', async () => {
    const wiki = await givenClient(world, { isInternal: false })
    const browser = new Browser(world.url)
    const begun = await browser.get(authPath(wiki, { ui_locales: 'ko-KR en' }))
    expect(begun.headers.get('location')).toMatch(/^\/oidc\/interaction\//)
    expect(await read('/oidc/interaction/other', {}, browser)).toBe('ko')
    expect(await read(authPath(wiki, { ui_locales: 'ko', redirect_uri: 'https://evil.example/' }))).toBe('ko')
    expect(await read('/device', { 'accept-language': 'tr' })).toBe('tr')
    const { body } = await call(world.url, 'GET', '/.well-known/openid-configuration')
    expect(body.ui_locales_supported).toEqual([...languages])
  })

  test('is changed by the links of the page, which come back to it', async () => {
    const browser = new Browser(world.url)
    const page = await browser.get(refusedPath({ ui_locales: 'fr' }), html)
    const links = [...page.text.matchAll(/<a href="(\/account\/language\?[^"]*)" lang="([\w-]+)"/g)]
    expect(links.map(([, , lang]) => lang)).toEqual([...languages])
    for (const [, href = '', lang] of links) {
      const chosen = await browser.get(href.replaceAll('&#38;', '&'), html)
      expect(chosen.status).toBe(303)
      const back = chosen.headers.get('location') ?? ''
      expect(back).toMatch(/^\/api\/auth\/authorize\?/)
      expect(await read(back, { 'accept-language': 'pt' }, browser)).toBe(lang)
    }
    // The person's own choice replaces the site's, for the rest of the sign-in too.
    expect(browser.jar.get('svc_lang')).toBe('zh-Hans')
    expect(browser.jar.has('svc_ui_locales')).toBe(false)
  })

  test.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/\t/evil.example/',
    '/.//evil.example/',
    '\\\\evil.example',
    'javascript:alert(1)',
    'account',
    '',
  ])('a choice never leads elsewhere: %j', async (returnTo) => {
    const query = new URLSearchParams({ language: 'de', return_to: returnTo })
    const { status, headers } = await new Browser(world.url).get(`/account/language?${query}`)
    expect([status, headers.get('location')]).toEqual([303, '/account'])
  })

  test('a choice is made by a person and not by a page that loads the address', async () => {
    const reply = await new Browser(world.url).get('/account/language?language=de', {
      'sec-fetch-dest': 'image',
      'sec-fetch-site': 'cross-site',
    })
    expect([reply.status, reply.headers.getSetCookie()]).toEqual([403, []])
    expect((await new Browser(world.url).get('/account/language?language=xx')).status).toBe(400)
  })
})
