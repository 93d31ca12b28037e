import { get, type IncomingMessage } from 'node:http'
import { demo } from '@rolecall/chat-sim'
import { afterAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { engines } from '../../../test/databases.ts'
import { atPlatform, Browser } from '../../../test/given.ts'
import { adminForTests, worldForTests } from '../../../test/world-for-tests.ts'

const { ada, joon, tomas } = demo.users

describe.each(engines)('downloads of own data, on %s', (engine) => {
  const world = worldForTests(engine, { RATE_LIMIT_GLOBAL: '0' })
  const admin = adminForTests(world)
  const opened: IncomingMessage[] = []
  afterAll(() => {
    for (const response of opened) response.destroy()
  })

  const loggedIn = async (as: string) => {
    const browser = new Browser(world.url)
    const screen = (await browser.get('/account', { accept: 'text/html' })).headers.get('location') ?? ''
    await browser.get(await atPlatform(screen, { as }), { accept: 'text/html' })
    return browser
  }
  /** Starts a download, and does not read it. */
  const begin = (browser: Browser) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { cookie: browser.cookie, accept: 'text/html' }
      get(`${world.url}/account/data`, { headers, agent: false }, (response) => {
        opened.push(response)
        resolve(response)
      }).on('error', reject)
    })
  /** Writes audit entries about a member that no buffer of a connection can hold. */
  const givenEntries = async (memberId: string) => {
    const { db, audit } = world.service.deps
    const event = {
      actionType: 'member',
      action: 'member.update',
      target: { type: 'member', id: memberId, name: 'ada' },
      summary: 'Changed.',
      changes: { text: { before: null, after: 'x'.repeat(40_000) } },
    } as const
    const events = Array.from({ length: 100 }, () => event)
    for (let i = 0; i < 6; i++) await db.transaction((tx) => audit.record(tx, events))
  }

  test('count until the client has read them, so that members cannot occupy the connections of exports', async () => {
    const browsers = [await loggedIn(ada), await loggedIn(joon)] as const
    for (const member of [ada, joon]) await givenEntries(member)
    const other = await loggedIn(tomas)
    const first = await begin(browsers[0])
    expect([first.statusCode, (await begin(browsers[0])).statusCode]).toEqual([200, 429])
    expect((await begin(browsers[1])).statusCode).toBe(200)
    expect((await other.get('/account/data')).status).toBe(429)
    expect((await call(world.url, 'GET', `/api/admin/members/${tomas}/data`, { ...admin })).status).toBe(200)
    first.destroy()
    await expect.poll(async () => (await other.get('/account/data')).status).toBe(200)
  })
})
