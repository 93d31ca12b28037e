import { demo } from '@rolecall/chat-sim'
import { describe, expect, test } from 'vitest'
import { mainEngines } from '../../../test/databases.ts'
import { authorizePath, Browser, countRows, walkLogin } from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

/** More browsers than a person signs in with in a day. */
const most = 50

describe.each(mainEngines)('single sign-on of one member, on %s', (engine) => {
  const world = worldForTests(engine, { RATE_LIMIT_GLOBAL: '0' })
  const project = projectForTests(world)

  const logIn = async (as: string) => {
    const browser = new Browser(world.url)
    await walkLogin(world, authorizePath(project.id), { browser, as })
    return browser
  }
  const isKnown = async (browser: Browser) => {
    const path = authorizePath(project.id, { prompt: 'none' }).replace('/authorize?', '/sso/authorize?')
    return ((await browser.get(path)).headers.get('location') ?? '').includes('code=rcc_')
  }
  const rowsOf = (memberId: string) => countRows(world, `sso_sessions where member_id = '${memberId}'`)

  test('is kept for the 50 newest browsers, however many log in; another member’s is not touched', async () => {
    const other = await logIn(demo.users.joon)
    const browsers: Browser[] = []
    for (let i = 0; i < most; i++) browsers.push(await logIn(demo.users.ada))
    expect(await rowsOf(demo.users.ada)).toBe(most)
    browsers.push(await logIn(demo.users.ada), await logIn(demo.users.ada))
    expect(await rowsOf(demo.users.ada)).toBe(most)

    const [first, second, third] = browsers as [Browser, Browser, Browser]
    expect(await Promise.all([first, second, third, browsers.at(-1) as Browser, other].map(isKnown))).toEqual(
      [false, false, true, true, true],
    )
  })
})
