import { beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { Browser, type GivenProject } from '../../../test/given.ts'
import { authPath, givenClient, pkce, postForm, walk } from '../../../test/oidc.ts'
import { worldForTests } from '../../../test/world-for-tests.ts'

const registered = [
  'http://127.0.0.1/cb',
  'http://[::1]:9000/cb?app=1',
  'http://localhost/cb',
  'https://app.example/cb',
]

describe.each(mainEngines)('loopback redirects of a public client, on %s', (engine) => {
  const world = worldForTests(engine)
  let app: GivenProject
  let confidential: GivenProject
  beforeAll(async () => {
    app = await givenClient(world, {
      ...{ isInternal: false, redirectUris: registered },
      oidc: { publicClient: true },
    })
    confidential = await givenClient(world, { redirectUris: registered })
  })

  const { verifier, challenge } = pkce()
  const request = (project: GivenProject, uri: string, more = {}) =>
    authPath(project, {
      redirect_uri: uri,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      ...more,
    })
  /** Returns true if an error is sent to the address, and false if a page shows that it is not registered. */
  const isAllowed = async (project: GivenProject, uri: string) => {
    const reply = await call(world.url, 'GET', request(project, uri, { prompt: 'none' }))
    if (reply.status === 303) return reply.headers.get('location')?.startsWith(uri)
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('invalid_redirect_uri')])
    return false
  }

  test.each([
    ['http://127.0.0.1/cb', true],
    ['http://127.0.0.1:1/cb', true],
    ['http://127.0.0.1:65535/cb', true],
    ['http://[::1]/cb?app=1', true],
    ['http://[::1]:51004/cb?app=1', true],
    ['http://127.0.0.1:65536/cb', false],
    ['http://127.0.0.1:0/cb', false],
    ['http://127.0.0.1:/cb', false],
    ['http://127.0.0.1:051004/cb', false],
    ['http://127.0.0.1:51004', false],
    ['http://127.0.0.1:51004/', false],
    ['http://127.0.0.1:51004/cb/', false],
    ['http://127.0.0.1:51004/CB', false],
    ['http://127.0.0.1:51004/x/../cb', false],
    ['http://127.0.0.1:51004/cb?app=1', false],
    ['http://[::1]:51004/cb', false],
    ['http://127.0.0.2:51004/cb', false],
    ['http://127.1:51004/cb', false],
    ['https://127.0.0.1:51004/cb', false],
    ['http://localhost:51004/cb', false],
    ['https://app.example:51004/cb', false],
    ['http://127.0.0.1:51004@evil.example/cb', false],
    ['http://evil.example@127.0.0.1:51004/cb', false],
    ['http://127.0.0.1.evil.example:51004/cb', false],
  ])('%s is allowed: %s', async (uri, allowed) => {
    expect(await isAllowed(app, uri)).toBe(allowed)
  })

  test('a client with a secret has the registered port only', async () => {
    expect(await isAllowed(confidential, 'http://127.0.0.1/cb')).toBe(true)
    expect(await isAllowed(confidential, 'http://127.0.0.1:51004/cb')).toBe(false)
  })

  test.each(['http://127.0.0.1:51004/cb', 'http://[::1]:51004/cb?app=1'])(
    'a code sent to %s is redeemed with that address and with no other port',
    async (uri) => {
      const browser = new Browser(world.url)
      const end = await walk(world, request(app, uri), { browser })
      expect(end.href.startsWith(uri)).toBe(true)
      const form = {
        grant_type: 'authorization_code',
        ...{ client_id: app.id, code: end.searchParams.get('code') ?? '', code_verifier: verifier },
      }
      const elsewhere = uri.replace('51004', '51005')
      const refused = await postForm(world.url, '/oidc/token', { ...form, redirect_uri: elsewhere })
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_grant'])
      const redeemed = await postForm(world.url, '/oidc/token', { ...form, redirect_uri: uri })
      expect([redeemed.status, redeemed.body.token_type]).toEqual([200, 'Bearer'])
    },
  )

  test.each([
    ['http://127.0.0.1:51004/cb', 'http://127.0.0.1:51004'],
    // A policy cannot contain an IPv6 address, and a browser would block the redirect.
    ['http://[::1]:51004/cb?app=1', 'http:'],
  ])('the page that asks for consent lets its form lead to %s', async (uri, source) => {
    const browser = new Browser(world.url)
    await walk(world, request(app, uri), { browser })
    const step = await browser.get(request(app, uri, { prompt: 'consent' }))
    const page = await browser.get(new URL(step.headers.get('location') ?? '', world.url).pathname)
    expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${source};`)
  })
})
