import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { authorizePath, Browser, countRows, givenProject, walkLogin } from '../../../test/given.ts'
import { sendRaw } from '../../../test/raw-http.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

describe.each(mainEngines)('pages of other sites on %s', (engine) => {
  const world = worldForTests(engine, { RATE_LIMIT_GLOBAL: '200' })
  let begin: string
  let paths: string[]
  beforeAll(async () => {
    begin = authorizePath((await givenProject(world)).id)
    const sso = begin.replace('/authorize?', '/sso/authorize?')
    paths = [begin, sso, '/api/auth/admin/login', '/api/auth/chat']
  })

  /** The headers of browsers for a fetch, an image, a frame, and an old fetch without a destination. */
  const embedded: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'frame' },
    { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    { 'sec-fetch-site': 'same-site' },
  ]
  /** Windows, and programs: those that send no such header, and those to which the HTTP client adds a mode. */
  const led: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
    { 'sec-fetch-mode': 'cors' },
    {},
  ]

  test('open no login of a visitor by fetching or embedding, and spend nothing of what the address may have open', async () => {
    const stored = await countRows(world, 'auth_requests')
    // More than the ten sign-ins that this address may open.
    for (const headers of embedded) {
      for (const path of paths) {
        const reply = await call(world.url, 'GET', path, { headers })
        expect([reply.status, reply.body.code], path).toEqual([403, 'NAVIGATION_REQUIRED'])
        expect(reply.headers.getSetCookie()).toEqual([])
      }
    }
    expect(await countRows(world, 'auth_requests')).toBe(stored)
    for (const headers of led) {
      expect((await new Browser(world.url).get(begin, headers)).status).toBe(302)
    }
    // Sent as bytes, because Node's fetch always sends a mode of its own.
    const old = ['Host: x', 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Connection: close']
    const window = await sendRaw(world.url, [`GET ${begin} HTTP/1.1`, ...old, '', ''].join('\r\n'))
    expect(window.status).toBe(302)
  })

  test('cannot end the single sign-on of a visitor; this service’s own pages and programs can', async () => {
    const own = new URL(world.url).origin
    const browser = new Browser(world.url)
    await walkLogin(world, begin, { browser })
    const logout = (headers: Record<string, string>) =>
      call(world.url, 'POST', '/api/auth/sso/logout', { headers: { cookie: browser.cookie, ...headers } })
    const rows = () => countRows(world, 'sso_sessions')
    const before = await rows()
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site', origin: own },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]
    for (const headers of foreign) {
      const reply = await logout(headers)
      expect([reply.status, reply.body.code]).toEqual([403, 'CROSS_SITE_REQUEST'])
      expect(reply.headers.getSetCookie()).toEqual([])
    }
    expect(await rows()).toBe(before)
    for (const headers of [{}, { origin: own }, { 'sec-fetch-site': 'same-origin' }]) {
      expect((await logout(headers)).status).toBe(200)
    }
    expect(await rows()).toBe(before - 1)
  })
})
