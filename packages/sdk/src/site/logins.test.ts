import { createHash } from 'node:crypto'
import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GivenProject, givenProject } from '../../../../apps/api/test/given.ts'
import { worldForTests } from '../../../../apps/api/test/world-for-tests.ts'
import { freePort } from '../../../../tools/free-port.js'
import { readEvents, SiteBrowser } from '../../test/site-browser.ts'
import { listenFetch, type RunningSite } from '../../test/sites.ts'
import { createRolecall } from '../fetch.ts'
import { catalogs } from './languages/catalogs.ts'
import { createSealer } from './seal.ts'

const secret = 'the secret of this site, long enough for all'

const world = worldForTests('pglite', { PERMISSION_TTL_MS: '3600000' })
let project: GivenProject
let url: string
let ssoUrl: string
const running: RunningSite[] = []
beforeAll(async () => {
  const [port, ssoPort] = [await freePort(), await freePort()]
  url = `http://127.0.0.1:${port}`
  ssoUrl = `http://127.0.0.1:${ssoPort}`
  const redirectUris = [url, ssoUrl].map((one) => `${one}/auth/callback`)
  project = await givenProject(world, { redirectUris })
  running.push(await serve(port, url, false), await serve(ssoPort, ssoUrl, true))
})
afterAll(async () => {
  for (const one of running) await one.close()
})

const optionsOf = (appUrl: string, sso: boolean) => ({
  ...{ url: world.url, apiKey: project.key, clientId: project.id, serverId: demo.mainGuildId },
  ...{ appUrl, secret, sso, onError: () => {} },
})

function serve(port: number, appUrl: string, sso: boolean): Promise<RunningSite> {
  const rolecall = createRolecall(optionsOf(appUrl, sso))
  return listenFetch(port, (request) =>
    rolecall.handle(request, async (_, visitor) => new Response((await visitor.requireMember()).member.id)),
  )
}

const browserAt = (appUrl: string) => new SiteBrowser(appUrl, world.sim.url)
/** Returns the address to which a page redirects. */
const leadsTo = async (browser: SiteBrowser, address: string) => {
  const answer = await browser.ask(address, { as: 'page' })
  await answer.body?.cancel()
  return answer.headers.get('location') ?? ''
}

describe('a login that cannot be finished', () => {
  /** Returns the address to which the service sends a browser back. */
  const comeBack = async (browser: SiteBrowser, as: string = demo.users.ada): Promise<string> => {
    const screen = await leadsTo(browser, await leadsTo(browser, '/auth/login?return_to=/x'))
    const back = await leadsTo(browser, `${screen}&login_as=${as}&auto=1`)
    return leadsTo(browser, back)
  }
  const cookieOf = (browser: SiteBrowser) => {
    const found = [...browser.jar].find(([name]) => name.startsWith(`rolecall_${project.id}_login_`))
    if (!found) throw new Error('no cookie of a login')
    return found
  }

  const damages: Record<
    string,
    readonly [RegExp, (browser: SiteBrowser, callback: string) => Promise<string> | string]
  > = {
    LOGIN_NOT_FOUND: [
      /Start again in this browser and allow cookies/,
      (browser, callback) => {
        browser.jar.delete(cookieOf(browser)[0])
        return callback
      },
    ],
    LOGIN_UNREADABLE: [
      /was changed, or the site replaced its secret/,
      async (browser, callback) => {
        const [name] = cookieOf(browser)
        browser.jar.set(name, await createSealer(['another secret of this site, as long']).seal(name, '[]'))
        return callback
      },
    ],
    LOGIN_EXPIRED: [
      /took longer than ten minutes/,
      async (browser, callback) => {
        const [name, value] = cookieOf(browser)
        const sealer = createSealer([secret])
        const [state, verifier, returnTo, at] = JSON.parse((await sealer.open(name, value))?.text ?? '[]')
        const old = JSON.stringify([state, verifier, returnTo, at - 601_000])
        browser.jar.set(name, await sealer.seal(name, old))
        return callback
      },
    ],
    LOGIN_CODE_USED: [
      /already used, or is older than a minute/,
      async (browser, callback) => {
        const jar = new Map(browser.jar)
        await leadsTo(browser, callback)
        for (const [name, value] of jar) browser.jar.set(name, value)
        return callback
      },
    ],
  }

  test.each(Object.entries(damages))('says why: %s', async (code, [reason, damage]) => {
    const browser = browserAt(url)
    const callback = await damage(browser, await comeBack(browser))
    const cookies = new Map(browser.jar)
    const program = await browser.ask(callback)
    expect([program.status, (await program.json()).code]).toEqual([400, code])
    for (const [name, value] of cookies) browser.jar.set(name, value)
    const page = await browser.ask(callback, { as: 'page' })
    expect(page.status).toBe(400)
    expect(await page.text()).toMatch(reason)
  })

  test('shows the reason that the service gave, on a page whose policy allows its own style alone', async () => {
    const browser = browserAt(url)
    const callback = await comeBack(browser, demo.users.emil)
    const reason = new URL(callback, url).searchParams.get('error_description') ?? ''
    expect(reason).toContain('not a member')
    const cookies = new Map(browser.jar)
    const program = await browser.ask(callback)
    expect(program.status).toBe(403)
    expect(await program.json()).toMatchObject({ code: 'LOGIN_REFUSED', detail: reason })
    for (const [name, value] of cookies) browser.jar.set(name, value)
    const hostile = new URL(callback, url)
    hostile.searchParams.set('error_description', '<b>No</b>')
    const page = await browser.ask(hostile.pathname + hostile.search, { as: 'page' })
    const text = await page.text()
    expect(text).toContain('<p>&lt;b&gt;No&lt;/b&gt;</p>')
    const [, style = ''] = /<style>(.+)<\/style>/.exec(text) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    expect(page.headers.get('content-security-policy')).toContain(`style-src 'sha256-${hash}';`)
  })

  test('speaks the language of the visitor, and English to visitors of no known one', async () => {
    const read = async (language: string, change: (query: URLSearchParams) => void = () => {}) => {
      const browser = browserAt(url)
      const callback = new URL(await comeBack(browser, demo.users.emil), url)
      change(callback.searchParams)
      const headers = { 'accept-language': language }
      const page = await browser.ask(callback.pathname + callback.search, { as: 'page', headers })
      expect([page.status, page.headers.get('vary')]).toEqual([403, 'Accept-Language'])
      return { text: await page.text(), language: page.headers.get('content-language') }
    }
    const german = await read('de-AT,en;q=0.5')
    expect(german.language).toBe('de')
    expect(german.text).toContain('<html lang="de">')
    expect(german.text).toContain(`<h1>${catalogs.de.refusedTitle}</h1><p>${catalogs.de.not_a_member}</p>`)
    expect(german.text).toMatch(/<a href="[^"]+">Noch einmal versuchen</)
    const english = await read('ca')
    expect(english.text).toMatch(/<html lang="en">.+<p>This account is not a member of /s)
    const newer = await read('ja', (query) => query.set('error_reason', 'of_a_newer_service'))
    expect(newer.text).toMatch(/<html lang="ja">.+<p lang="en">This account is not a member of /s)
    const silent = await read('ja', (query) => {
      query.delete('error_reason')
      query.set('error_description', 'no\u202eASCII')
    })
    expect(silent.text).toContain(`<p>${catalogs.ja.LOGIN_REFUSED}</p>`)
    const blocked = await read('ko', (query) => query.set('error_reason', 'blocked'))
    expect(blocked.text).toContain(`<a href="/">${catalogs.ko.startPage}</a>`)
  })

  test('leads no visitor to another site, however the address of the page is written', async () => {
    const rejected = async () => Response.json({ code: 'INVALID_API_KEY', detail: '' }, { status: 401 })
    const options = { ...optionsOf(url, false), url: 'http://127.0.0.1:1', fetch: rejected }
    const site = createRolecall({ ...options, cache: false })
    const now = Math.floor(Date.now() / 1_000)
    const name = `rolecall_${project.id}`
    const pair = JSON.stringify([`rcs_${'a'.repeat(49)}`, `rcr_${'a'.repeat(49)}`, now, now + 3_600])
    const cookie = `${name}=${await createSealer([secret]).seal(name, pair)}`
    const headers = { cookie, accept: 'text/html' }
    const page = await site.handle(new Request(`${url}//evil.example/x`, { headers }), async (_, visitor) =>
      Response.json(await visitor.requireMember()),
    )
    expect(page.status).toBe(503)
    expect(await page.text()).toContain(`<a href="${url}/">`)
  })
})

describe('the option language', () => {
  test('chooses the language of the pages here and at the service', async () => {
    const language = (request: { path: string }) => {
      if (request.path.includes('broken')) throw new Error('planted')
      return request.path.includes('unknown') ? 'xx' : 'pt-PT'
    }
    const errors: unknown[] = []
    const onError = (error: unknown) => void errors.push(error)
    const site = createRolecall({ ...optionsOf(url, false), language, onError })
    const ask = (path: string) =>
      site.handler(new Request(url + path, { headers: { accept: 'text/html', 'accept-language': 'nl' } }))
    const localesAt = async (path: string) =>
      new URL((await ask(path)).headers.get('location') ?? '').searchParams.get('ui_locales')
    expect(await localesAt('/auth/login')).toBe('pt-BR')
    expect(await localesAt('/auth/login?unknown')).toBeNull()
    expect((await ask('/auth/callback')).headers.get('content-language')).toBe('pt-BR')
    expect((await ask('/auth/callback?unknown')).headers.get('content-language')).toBe('nl')
    expect(errors).toEqual([])
    expect((await ask('/auth/callback?broken')).headers.get('content-language')).toBe('nl')
    expect(errors).toEqual([new Error('planted')])
  })

  test('is shown by the pages of the service', async () => {
    const site = createRolecall({ ...optionsOf(url, false), language: () => 'ko' })
    const begun = await site.handler(new Request(`${url}/auth/login`))
    const address = new URL(begun.headers.get('location') ?? '')
    address.searchParams.set('redirect_uri', 'https://evil.example/')
    const page = await fetch(address, { headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('content-language')]).toEqual([403, 'ko'])
  })
})

describe('the option sso', () => {
  test('skips the screen of the chat platform for a browser that has logged in, and is off by default', async () => {
    const browser = browserAt(ssoUrl)
    await browser.open('/')
    expect((await browser.open('/')).text).toBe(demo.users.ada)
    expect(await leadsTo(browser, await leadsTo(browser, '/auth/login'))).toContain(
      `${ssoUrl}/auth/callback?`,
    )
    const plain = browserAt(url)
    for (const [name, value] of browser.jar) plain.jar.set(name, value)
    expect(await leadsTo(plain, await leadsTo(plain, '/auth/login'))).toMatch(world.sim.url)
  })

  test('shows the screen to members who have not agreed', async () => {
    const browser = browserAt(ssoUrl)
    expect(await leadsTo(browser, await leadsTo(browser, '/auth/login'))).toMatch(world.sim.url)
    expect((await browser.open('/')).text).toBe(demo.users.ada)
  })
})

describe('/auth/live', () => {
  test('has eight streams of a session at most: the oldest ends, and the others go on', async () => {
    const browser = browserAt(url)
    await browser.open('/')
    const controller = new AbortController()
    const streams = []
    for (let i = 0; i < 9; i++) {
      const events = readEvents(await browser.ask('/auth/live', { signal: controller.signal }))
      expect((await events.next()).value?.event).toBe('session')
      streams.push(events)
    }
    expect((await streams[0]?.next())?.done).toBe(true)
    world.sim.world.setRoles(demo.mainGuildId, demo.users.ada, [demo.roles.captain])
    await world.service.deps.refreshMember(demo.mainGuildId, demo.users.ada)
    const later = await Promise.all(streams.slice(1).map((events) => events.next()))
    expect(later.map(({ done }) => done)).toEqual(Array(8).fill(false))
    controller.abort()
  })
})
