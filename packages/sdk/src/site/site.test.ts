import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GivenProject, givenProject } from '../../../../apps/api/test/given.ts'
import { worldForTests } from '../../../../apps/api/test/world-for-tests.ts'
import { freePort } from '../../../../tools/free-port.js'
import { SiteBrowser } from '../../test/site-browser.ts'
import { listenFetch, type RunningSite } from '../../test/sites.ts'
import { createRolecall } from '../fetch.ts'
import { createGuard } from '../next.ts'
import { Rolecall } from '../rolecall.ts'
import { createSealer } from './seal.ts'
import type { SiteOptions } from './settings.ts'

const secret = 'the first secret of this site, long enough'
const newSecret = 'the second secret of this site, long too'

const world = worldForTests('pglite', { PERMISSION_TTL_MS: '3600000' })
let url: string
let port: number
let project: GivenProject
let running: RunningSite[] = []
beforeAll(async () => {
  port = await freePort()
  url = `http://127.0.0.1:${port}`
  project = await givenProject(world, { redirectUris: [`${url}/auth/callback`] })
})
afterAll(async () => {
  for (const one of running) await one.close()
})

const optionsOf = (): SiteOptions => ({
  url: world.url,
  apiKey: project.key,
  clientId: project.id,
  serverId: demo.mainGuildId,
  appUrl: url,
  secret,
  onError: () => {},
})

/** Creates an instance of the app as in its own process, which shares nothing with another. */
const newInstance = (options: Partial<SiteOptions> = {}) => {
  Reflect.deleteProperty(globalThis, Symbol.for('rolecall 1'))
  return createRolecall({ ...optionsOf(), ...options })
}

type Instance = ReturnType<typeof createRolecall>
const answerBy = (instance: Instance) => (request: Request) =>
  instance.handle(
    request,
    async (_, visitor) => new Response((await visitor.requireMember()).member.username),
  )

/** Starts an instance at the address of the app, in place of the previous one. */
async function serve(instance: Instance): Promise<SiteBrowser> {
  for (const one of running) await one.close()
  running = [await listenFetch(port, answerBy(instance))]
  return new SiteBrowser(url, world.sim.url)
}

const cookieName = () => `rolecall_${project.id}`
const sealer = createSealer([secret])
const client = () => new Rolecall({ baseUrl: world.url, apiKey: project.key })
const pairIn = async (browser: SiteBrowser): Promise<[string, string, number, number]> => {
  const opened = await sealer.open(cookieName(), browser.jar.get(cookieName()) ?? '')
  return JSON.parse(opened?.text ?? '[]')
}
const age = async (browser: SiteBrowser) => {
  const [token, refreshToken, obtainedAt, expiresAt] = await pairIn(browser)
  const text = JSON.stringify([token, refreshToken, obtainedAt - (expiresAt - obtainedAt) - 60, expiresAt])
  browser.jar.set(cookieName(), await sealer.seal(cookieName(), text))
}

describe('createRolecall()', () => {
  test('names everything that is missing at once', () => {
    for (const name of ['URL', 'API_KEY', 'CLIENT_ID', 'SERVER_ID', 'APP_URL', 'SECRET']) {
      expect(() => createRolecall()).toThrow(`- ROLECALL_${name} is missing`)
    }
  })

  test('names everything that is wrong at once, and shows no value', () => {
    const wrong = {
      url: 'nowhere',
      apiKey: 'rck secret',
      clientId: 'a/b',
      serverId: 'x',
      secret: 'too short',
    }
    const make = () => createRolecall({ ...wrong, appUrl: 'http://site.example/app' })
    for (const name of ['URL', 'API_KEY', 'CLIENT_ID', 'SERVER_ID', 'APP_URL', 'SECRET']) {
      expect(make).toThrow(new RegExp(`- ROLECALL_${name} must`))
    }
    expect(make).not.toThrow(/rck secret|too short/)
  })

  test('makes one client for all modules of a process', () => {
    expect(createRolecall(optionsOf()).client).toBe(createRolecall(optionsOf()).client)
  })
})

describe('return_to', () => {
  const hostile = [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    'http://user@127.0.0.1/',
    '/auth',
    '/auth/login',
    '/AUTH/login?return_to=/auth/login',
    '//auth/login',
    '/./auth/login',
    '/%61uth/login',
    '/auth%2flogin',
    '/%',
    `/${'x'.repeat(2_000)}`,
    '',
  ]
  test('leads nowhere but to a page of this app, by its whole address', async () => {
    const instance = newInstance()
    const browser = await serve(instance)
    for (const path of hostile) {
      browser.jar.clear()
      const { url: end } = await browser.open(`/auth/login?return_to=${encodeURIComponent(path)}`)
      expect(end, path).toBe(`${url}/`)
    }
    for (const path of ['/.//evil.example', '/..//evil.example']) {
      browser.jar.clear()
      const { url: end } = await browser.open(`/auth/login?return_to=${encodeURIComponent(path)}`)
      expect(end, path).toBe(`${url}//evil.example`)
    }
    browser.jar.clear()
    expect((await browser.open('/auth/login?return_to=%2Fcrew%3Fa%3D1%23part')).url).toBe(
      `${url}/crew?a=1#part`,
    )
  })
})

describe('the cookie of a session', () => {
  test('is opened by an older secret too, and sealed anew by the newest on the next page', async () => {
    const browser = await serve(newInstance())
    await browser.open('/')
    const old = browser.jar.get(cookieName())
    const later = await serve(newInstance({ secret: [newSecret, secret] }))
    later.jar.set(cookieName(), old ?? '')
    expect(await (await later.ask('/x')).text()).toBe('ada.osei')
    expect(later.jar.get(cookieName())).toBe(old)
    expect(await (await later.ask('/x', { as: 'page' })).text()).toBe('ada.osei')
    expect(later.jar.get(cookieName())).not.toBe(old)
    const last = await serve(newInstance({ secret: newSecret }))
    last.jar.set(cookieName(), later.jar.get(cookieName()) ?? '')
    expect(await (await last.ask('/x')).text()).toBe('ada.osei')
    last.jar.set(cookieName(), old ?? '')
    expect((await last.ask('/x')).status).toBe(401)
  })

  test('is nothing when a character of it is changed, and in no other cookie', async () => {
    const sealed = await sealer.seal('one', 'text')
    expect(await sealer.open('one', sealed)).toEqual({ text: 'text', isOld: false })
    expect(await sealer.open('two', sealed)).toBeUndefined()
    for (let i = 0; i < sealed.length; i++) {
      const other = sealed[i] === 'A' ? 'B' : 'A'
      const changed = sealed.slice(0, i) + other + sealed.slice(i + 1)
      // The last character contains unused bits.
      if (i < sealed.length - 1) expect(await sealer.open('one', changed), String(i)).toBeUndefined()
    }
  })

  test('is bound to this host and to https where the app is', async () => {
    const instance = createRolecall({ ...optionsOf(), appUrl: 'https://crew.example' })
    const answer = await instance.handler(new Request('http://localhost:3000/auth/login'))
    const [line = ''] = answer.headers.getSetCookie()
    expect(line).toMatch(
      new RegExp(
        `^__Host-rolecall_${project.id}_login_[\\w-]{16}=[^;]+; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$`,
      ),
    )
    const redirectUri = new URL(answer.headers.get('location') ?? '').searchParams.get('redirect_uri')
    expect(redirectUri).toBe('https://crew.example/auth/callback')
  })

  test('is another cookie when a space of Unicode precedes its name, which a sibling host can set', async () => {
    const browser = await serve(newInstance())
    await browser.open('/')
    const pair = `${cookieName()}=${browser.jar.get(cookieName())}`
    const instance = newInstance()
    const statusWith = async (cookie: string) =>
      (await answerBy(instance)(new Request(`${url}/x`, { headers: { cookie } }))).status
    const statuses = await Promise.all(['', ' ', '\xa0'].map((space) => statusWith(`a=1; ${space}${pair}`)))
    expect(statuses).toEqual([200, 200, 401])
    const guard = createGuard(client(), { cookie: cookieName() })
    const [token = ''] = await pairIn(browser)
    const guarded = guard.requireMember({}, () => new Response())
    for (const [space, status] of [
      ['', 200],
      [' ', 200],
      ['\xa0', 401],
    ] as const) {
      const headers = { cookie: `a=1; ${space}${cookieName()}=${token}` }
      expect((await guarded(new Request(url, { headers }), {})).status, JSON.stringify(space)).toBe(status)
    }
  })

  test('is refused rather than lost when it is longer than browsers keep', async () => {
    const { serializeCookie } = await import('./cookies.ts')
    expect(serializeCookie({ name: 'x', value: 'y'.repeat(4_095), maxAgeSec: 1 }, true)).toContain('Secure')
    expect(() => serializeCookie({ name: 'x', value: 'y'.repeat(4_096), maxAgeSec: 1 }, true)).toThrow('4096')
  })
})

test('of logins under way a browser keeps five cookies, the latest', async () => {
  const browser = await serve(newInstance())
  const begun: string[] = []
  for (let i = 0; i < 8; i++) {
    await browser.ask('/auth/login', { as: 'page' })
    begun.push([...browser.jar.keys()].at(-1) ?? '')
  }
  expect([...browser.jar.keys()]).toEqual(begun.slice(3))
})

describe('two instances of an app without a store', () => {
  test('that refresh one session at once keep it: the page asks once more, a program in a second', async () => {
    const browser = await serve(newInstance())
    await browser.open('/')
    await age(browser)
    const cookie = `${cookieName()}=${browser.jar.get(cookieName())}`
    const page = { cookie, accept: 'text/html', 'sec-fetch-mode': 'navigate' }
    const script = { cookie, 'sec-fetch-site': 'same-origin' }
    const instances = Array.from({ length: 6 }, () => newInstance())
    const answers = await Promise.all(
      instances.map((instance, i) => {
        const isScript = i % 2 === 1
        const init = isScript ? { method: 'POST', headers: script } : { headers: page }
        return answerBy(instance)(new Request(`${url}/${isScript ? 'auth/refresh' : 'crew?x=1'}`, init))
      }),
    )
    const winners = answers.filter(({ headers }) =>
      headers.getSetCookie().some((one) => one.startsWith(`${cookieName()}=`)),
    )
    expect(winners).toHaveLength(1)
    const losers = answers.filter((answer) => !winners.includes(answer))
    const seen = losers.map(({ status, headers }) => [
      status,
      headers.get('location'),
      headers.get('retry-after'),
    ])
    for (const [status, location, retryAfter] of seen) {
      // A request after the refresh has a token that is no longer live, and is not refreshed.
      if (status === 302 && !location?.toString().includes('/auth/login'))
        expect(location).toBe(`${url}/crew?x=1`)
      if (status === 503) expect(retryAfter).toBe('1')
      expect([204, 302, 503]).toContain(status)
    }
    for (const { headers } of losers) {
      for (const line of headers.getSetCookie()) expect(line).toMatch(/_retry=1; Path=\/; Max-Age=10/)
    }
    // The service did not treat it as theft.
    const [line = ''] = winners[0]?.headers.getSetCookie() ?? []
    browser.jar.set(cookieName(), /=([^;]+)/.exec(line)?.[1] ?? '')
    expect(await client().validate((await pairIn(browser))[0])).toBeDefined()
  })

  /** Creates an instance that always refreshes second. */
  const givenLoser = ([token, refreshToken]: readonly [string, string, ...unknown[]]) =>
    newInstance({
      fetch: async (input, init) => {
        if (String(input).endsWith('/token/refresh')) await client().refresh({ token, refreshToken })
        return fetch(input, init)
      },
    })
  const givenAged = async () => {
    const browser = await serve(newInstance())
    await browser.open('/')
    await age(browser)
    return { pair: await pairIn(browser), cookie: `${cookieName()}=${browser.jar.get(cookieName())}` }
  }

  test('make the second request ask again once, and keep the cookie of the first', async () => {
    const page = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }
    const ask = async (method: string, path: string, more: Record<string, string>, marker = '') => {
      const { pair, cookie } = await givenAged()
      const headers = { cookie: cookie + marker, ...more }
      return answerBy(givenLoser(pair))(new Request(url + path, { method, headers }))
    }
    const first = await ask('GET', '/crew?x=1', page)
    expect([first.status, first.headers.get('location')]).toEqual([302, `${url}/crew?x=1`])
    expect(first.headers.getSetCookie().map((line) => line.split(';')[0])).toEqual([
      `${cookieName()}_retry=1`,
    ])

    const second = await ask('GET', '/crew?x=1', page, `; ${cookieName()}_retry=1`)
    expect([second.status, second.headers.get('location')]).toEqual([
      302,
      `${url}/auth/login?return_to=%2Fcrew%3Fx%3D1`,
    ])
    expect(second.headers.getSetCookie().map((line) => line.split(';')[0])).toEqual([
      `${cookieName()}_retry=`,
    ])

    const script = await ask('POST', '/auth/refresh', { 'sec-fetch-site': 'same-origin' })
    expect([script.status, script.headers.get('retry-after')]).toEqual([503, '1'])
    expect(script.headers.getSetCookie()).toEqual([])
  })

  test('ask for no refresh with a pair that is over: the service would take it for a theft', async () => {
    const browser = await serve(newInstance())
    await browser.open('/')
    await age(browser)
    const [token, refreshToken] = await pairIn(browser)
    const next = await client().refresh({ token, refreshToken })
    expect((await browser.ask('/crew', { as: 'page' })).headers.get('location')).toContain('/auth/login')
    expect(await client().validate(next.token)).toBeDefined()
  })
})

describe('a store of the app', () => {
  const givenStore = () => {
    const values = new Map<string, string>()
    return {
      values,
      get: async (id: string) => values.get(id),
      set: async (id: string, value: string) => values.set(id, value),
      delete: async (id: string) => values.delete(id),
    }
  }

  test('keeps sessions sealed, for all instances, and loses them at a logout', async () => {
    const store = givenStore()
    const browser = await serve(newInstance({ store }))
    expect((await browser.open('/')).text).toBe('ada.osei')
    expect([...store.values.values()].join()).toMatch(/^1\.[\w-]{8}\.[\w-]+$/)
    const cookie = `${cookieName()}=${browser.jar.get(cookieName())}`
    const other = answerBy(newInstance({ store }))
    expect(await (await other(new Request(`${url}/x`, { headers: { cookie } }))).text()).toBe('ada.osei')
    await browser.ask('/auth/logout', { method: 'POST' })
    expect(store.values.size).toBe(0)
    expect((await other(new Request(`${url}/x`, { headers: { cookie } }))).status).toBe(401)
  })

  test('gives the pair of who was first to all that refresh at once', async () => {
    const store = givenStore()
    const browser = await serve(newInstance({ store }))
    await browser.open('/')
    const [[id, value] = ['', '']] = store.values
    const opened = await sealer.open(`${cookieName()} ${id}`, value)
    const [token, refreshToken, obtainedAt, expiresAt] = JSON.parse(opened?.text ?? '[]')
    const aged = JSON.stringify([token, refreshToken, obtainedAt - (expiresAt - obtainedAt) - 60, expiresAt])
    store.values.set(id, await sealer.seal(`${cookieName()} ${id}`, aged))
    const cookie = `${cookieName()}=${browser.jar.get(cookieName())}`
    const headers = { cookie, accept: 'text/html', 'sec-fetch-mode': 'navigate' }
    const instances = Array.from({ length: 6 }, () => newInstance({ store }))
    const answers = await Promise.all(
      instances.map((instance) => answerBy(instance)(new Request(`${url}/crew`, { headers }))),
    )
    for (const answer of answers) expect([answer.status, await answer.text()]).toEqual([200, 'ada.osei'])
  })

  test('that does not respond signs no member out', async () => {
    const store = givenStore()
    const browser = await serve(newInstance({ store }))
    await browser.open('/')
    const cookie = browser.jar.get(cookieName())
    const broken = { ...store, get: () => Promise.reject(new Error('gone')) }
    const other = await serve(newInstance({ store: broken }))
    other.jar.set(cookieName(), cookie ?? '')
    for (const path of ['/x', '/auth/me']) expect((await other.ask(path)).status, path).toBe(503)
    expect((await other.ask('/x', { as: 'page' })).status).toBe(503)
    expect(other.jar.get(cookieName())).toBe(cookie)
  })
})
