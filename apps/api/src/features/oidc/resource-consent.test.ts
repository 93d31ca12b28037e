import { demo } from '@rolecall/chat-sim'
import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { ciEngines } from '../../../test/databases.ts'
import { approveDevice, deviceGrant, pathOf, typeCode } from '../../../test/device.ts'
import { Browser, type GivenProject, givenAdmin } from '../../../test/given.ts'
import { authPath, givenClient, introspect, postForm, redeem, walk } from '../../../test/oidc.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const [staff, maps] = ["https://staff.example/mcp?a=1&b='", 'urn:example:maps,of:harbours']
const named = '\u2068Staff &#38; נמל\u2069 (https://staff.example/mcp?a=1&#38;b=&#39;)'
const html = { accept: 'text/html' }
const { users } = demo

describe.each(ciEngines)('consent to an API, on %s', (engine) => {
  let staffApi: GivenProject
  const world = worldForTests(engine, { RATE_LIMIT_GLOBAL: '0' })
  beforeAll(async () => {
    staffApi = await givenClient(world, { name: 'Staff & נמל', oidc: { resources: [staff] } })
    await givenClient(world, { name: 'Maps', oidc: { resources: [maps] } })
  })

  /** Starts a login and returns the consent page; undefined if none is shown. */
  async function shown(browser: Browser, path: string) {
    const to = (await browser.get(path)).headers.get('location') ?? ''
    if (!to.startsWith('/oidc/interaction/')) return undefined
    return { path: to, text: (await browser.get(to)).text }
  }
  const send = (browser: Browser, path: string, form: Record<string, string> = {}) =>
    postForm(world.url, path, form, { cookie: browser.cookie, origin: world.url, ...html })
  const silently = async (browser: Browser, client: GivenProject, resource: string) => {
    const end = await walk(world, authPath(client, { resource, prompt: 'none' }), { browser })
    return end.searchParams.get('error') ?? (end.searchParams.get('code') ? 'a code' : end.href)
  }

  describe.each([
    ['an internal project', true],
    ['another project', false],
  ])('of %s', (_, isInternal) => {
    test('a member sees and agrees to each API of each client, and takes it back', async () => {
      const [client, other] = [
        await givenClient(world, { isInternal }),
        await givenClient(world, { isInternal }),
      ]
      const browser = new Browser(world.url)
      for (const one of [client, other]) await walk(world, authPath(one), { browser })
      expect(await silently(browser, client, staff)).toBe('consent_required')

      const asked = await shown(browser, authPath(client, { resource: staff }))
      expect(asked?.text).toContain(`will be able to use ${named} with your account.`)
      expect(asked?.text.includes('This sign-in service does not run')).toBe(!isInternal)
      const denied = await send(browser, asked?.path ?? '', { decision: 'deny' })
      const refused = await walk(world, pathOf(denied.headers.get('location') ?? '', world.url), { browser })
      expect(refused.searchParams.get('error')).toBe('access_denied')
      expect(await silently(browser, client, staff)).toBe('consent_required')

      const end = await walk(world, authPath(client, { resource: staff }), { browser })
      const { body } = await redeem(world, client, end.searchParams.get('code') ?? '')
      expect((await introspect(world, staffApi, body.access_token)).body).toMatchObject({ active: true })
      expect(await silently(browser, client, staff)).toBe('a code')
      expect(await silently(browser, client, maps)).toBe('consent_required')
      expect(await silently(browser, other, staff)).toBe('consent_required')
      await walk(world, authPath(client, { resource: maps }), { browser })
      for (const resource of [staff, maps]) expect(await silently(browser, client, resource)).toBe('a code')
      const joon = new Browser(world.url)
      await walk(world, authPath(client), { browser: joon, as: users.joon })
      expect(await silently(joon, client, staff)).toBe('consent_required')

      const { text } = await browser.get('/account', html)
      expect(text).toContain('Can use https://staff.example/mcp?a=1&#38;b=&#39; with your account')
      expect(text).not.toContain('resource:')
      expect((await send(browser, `/account/consents/${client.id}/withdraw`)).status).toBe(303)
      expect((await introspect(world, staffApi, body.access_token)).body).toEqual({ active: false })
      // An external project has lost the rest of its consent, too.
      await walk(world, authPath(client), { browser })
      expect(await silently(browser, client, staff)).toBe('consent_required')
    })

    test('a device page names the API, and a consent page follows', async () => {
      const app = await givenClient(world, { isInternal, oidc: { deviceFlow: true, publicClient: true } })
      const client_id = app.id
      // A stranger needs no more than the ID of the client.
      const device = async () => {
        const form = { client_id, scope: 'openid roles', resource: staff }
        return (await postForm(world.url, '/oidc/device_authorization', form)).body
      }
      const poll = async ({ device_code }: { device_code: string }) =>
        (await postForm(world.url, '/oidc/token', { client_id, grant_type: deviceGrant, device_code })).body
      const first = await device()
      const page = await typeCode(new Browser(world.url), { user_code: first.user_code })
      expect(page.text).toContain(`will be able to use ${named} with your account.`)
      const denied = await approveDevice(world, first, { as: users.rosa, decision: 'deny' })
      expect(denied.text).toContain('Your device was not connected')
      expect((await poll(first)).error).toBe('access_denied')
      const second = await device()
      await approveDevice(world, second, { as: users.rosa })
      const { access_token } = await poll(second)
      expect((await introspect(world, staffApi, access_token)).body).toMatchObject({ sub: users.rosa })
    })
  })

  test('an internal project asks nothing for its own API', async () => {
    const own = 'https://own.example/'
    const client = await givenClient(world, { oidc: { resources: [own] } })
    const browser = new Browser(world.url)
    await walk(world, authPath(client), { browser })
    expect(await silently(browser, client, own)).toBe('a code')
  })

  test('agreeing to an API of an internal project agrees to nothing that the page did not show', async () => {
    const client = await givenClient(world)
    const browser = new Browser(world.url)
    await walk(world, authPath(client, { resource: staff }), { browser })
    const admin = { token: await givenAdmin(world), body: { isInternal: false } }
    expect((await call(world.url, 'PATCH', `/api/admin/projects/${client.id}`, admin)).status).toBe(200)
    expect((await shown(browser, authPath(client)))?.text).toContain('Your current roles')
  })

  test('an API that is removed while its page is open is an invalid target', async () => {
    const gone = 'https://gone.example/'
    const api = await givenClient(world, { oidc: { resources: [gone] } })
    const set = async (resources: string[]) => {
      const more = { token: await givenAdmin(world), body: { oidc: { resources } } }
      expect((await call(world.url, 'PATCH', `/api/admin/projects/${api.id}`, more)).status).toBe(200)
    }
    const client = await givenClient(world)
    const browser = new Browser(world.url)
    await walk(world, authPath(client), { browser })
    const asked = await shown(browser, authPath(client, { resource: gone }))
    await set([])
    const answered = await send(browser, asked?.path ?? '', { decision: 'allow' })
    const end = await walk(world, pathOf(answered.headers.get('location') ?? '', world.url), { browser })
    expect(end.searchParams.get('error')).toBe('invalid_target')
    await set([gone])
    expect(await silently(browser, client, gone)).toBe('consent_required')
  })
})
