import { demo } from '@rolecall/chat-sim'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { later } from '../../../test/clock.ts'
import { engines } from '../../../test/databases.ts'
import { Browser, type GivenProject } from '../../../test/given.ts'
import { basic, givenClient, postForm, userinfo } from '../../../test/oidc.ts'
import { startWorld, type World } from '../../../test/service.ts'

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

describe.each(engines)('the device flow on %s', (engine) => {
  let world: World
  let project: GivenProject
  beforeAll(async () => {
    world = await startWorld(engine)
    project = await givenClient(world, { oidc: { deviceFlow: true } })
  })
  afterAll(() => world.close())

  const begin = async () => {
    const reply = await postForm(
      world.url,
      '/oidc/device_authorization',
      { scope: 'openid roles offline_access' },
      basic(project),
    )
    expect(reply.status).toBe(200)
    return reply.body
  }
  const poll = (deviceCode: string) =>
    postForm(world.url, '/oidc/token', { grant_type: deviceGrant, device_code: deviceCode }, basic(project))
  const type = async (browser: Browser, form: Record<string, string>) => {
    const page = await browser.get('/device')
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    return postForm(world.url, '/device', { xsrf, ...form }, { cookie: browser.cookie, origin: world.url })
  }
  /** Types the code, confirms it and logs in. */
  const approve = async (browser: Browser, userCode: string) => {
    const asked = await type(browser, { user_code: userCode })
    expect(asked.text).toContain('Connect this device to')
    const confirmed = await type(browser, { user_code: userCode, confirm: 'yes' })
    return confirmed
  }

  test('a device gets its tokens once somebody has typed its code and logged in', async () => {
    const { device_code: deviceCode, user_code: userCode, ...rest } = await begin()
    expect(rest.verification_uri).toBe(`${world.url}/device`)
    expect((await poll(deviceCode)).body.error).toBe('authorization_pending')
    const browser = new Browser(world.url)
    const confirmed = await approve(browser, userCode)
    expect(confirmed.status).toBe(303)
    for (const line of confirmed.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value) browser.jar.set(name, value)
    }
    const end = await walkToPage(browser, confirmed.headers.get('location') ?? '')
    expect(end.text).toContain('Your device is connected')
    const tokens = await poll(deviceCode)
    expect(tokens.status).toBe(200)
    expect((await userinfo(world, tokens.body.access_token)).body.sub).toBe(demo.users.ada)
    expect(tokens.body.refresh_token).toMatch(/^rcf_/)
    expect((await poll(deviceCode)).body.error).toBe('invalid_grant')
  })

  /** Follows redirects until there is a page of ours. */
  const walkToPage = async (browser: Browser, from: string) => {
    let reply = await browser.get(pathOf(from))
    for (let i = 0; i < 8 && reply.status >= 300 && reply.status < 400; i++) {
      const location = reply.headers.get('location') ?? ''
      if (location.startsWith(world.sim.url)) {
        const back = await fetch(`${location}&login_as=${demo.users.ada}&auto=1`, { redirect: 'manual' })
        reply = await browser.get(pathOf(back.headers.get('location') ?? ''))
      } else reply = await browser.get(pathOf(location))
    }
    return reply
  }
  const pathOf = (location: string) => {
    const { pathname, search } = new URL(location, world.url)
    return pathname + search
  }

  test('a code in the link is only filled in, and a wrong one is asked for again', async () => {
    const { verification_uri_complete: link, user_code: userCode } = await begin()
    const page = await call(world.url, 'GET', pathOf(link))
    expect(page.status).toBe(200)
    expect(page.text).toContain(`value="${userCode}"`)
    expect(page.text).not.toContain('<script')
    const wrong = await type(new Browser(world.url), { user_code: 'BBBB-BBBB' })
    expect(wrong.status).toBe(200)
    expect(wrong.text).toContain('not a code that a device is waiting with')
  })

  test('who says no leaves the device without, and it is told so', async () => {
    const { device_code: deviceCode, user_code: userCode } = await begin()
    const no = await type(new Browser(world.url), { user_code: userCode, abort: 'yes' })
    expect(no.text).toContain('was not connected')
    expect((await poll(deviceCode)).body.error).toBe('access_denied')
  })

  test('a code that is too old says so to the device', async () => {
    const { device_code: deviceCode } = await begin()
    await later(world.service, 601, async () => {
      expect((await poll(deviceCode)).body.error).toBe('expired_token')
    })
  })

  test('another project, or one that did not ask for it, gets nothing', async () => {
    const { device_code: deviceCode } = await begin()
    const other = await givenClient(world, { oidc: { deviceFlow: true } })
    const foreign = await postForm(
      world.url,
      '/oidc/token',
      { grant_type: deviceGrant, device_code: deviceCode },
      basic(other),
    )
    expect([foreign.status, foreign.body.error]).toEqual([400, 'invalid_grant'])
    const plain = await givenClient(world)
    const refused = await postForm(world.url, '/oidc/device_authorization', {}, basic(plain))
    expect(refused.status).toBe(400)
  })

  test('codes cannot be guessed by trying', async () => {
    const statuses: number[] = []
    const browser = new Browser(world.url)
    for (let i = 0; i < 40; i++) statuses.push((await type(browser, { user_code: `BBBB-BBB${i}` })).status)
    expect(statuses.at(-1)).toBe(429)
  })
})
