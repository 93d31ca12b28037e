import { crc32 } from 'node:zlib'
import { type EndpointDefinition, endpoints } from '@rolecall/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../src/app.ts'
import type { Deps } from '../src/deps.ts'
import { keyPrefixOf, mintToken } from '../src/platform/crypto/tokens.ts'
import { createLifecycle } from '../src/platform/http/lifecycle.ts'
import { createRateLimiter } from '../src/platform/rate-limit/rate-limiter.ts'
import { call } from './client.ts'
import { type Credentials, callerOf, givenCredentials } from './credentials.ts'
import { givenSession } from './given.ts'
import { givenWebhook, submit } from './given-webhook.ts'
import { addressOf, nameOf, propertiesOf, rowsOf } from './requests.ts'
import { worldForTests } from './world-for-tests.ts'

/** Tests the rules of HTTP for every endpoint. They do not concern SQL, so one engine is enough. */
/** Returns true for endpoints that end the requesting session, which the other requests need. */
const endsItsSession = ({ method, path }: EndpointDefinition) =>
  path.endsWith('/admin/logout') || (method === 'DELETE' && path === '/api/auth/sessions')

describe('over HTTP, every endpoint of the contract', () => {
  const world = worldForTests('pglite')
  let given: Credentials
  beforeAll(async () => {
    given = await givenCredentials(world)
  })

  const good = (one: EndpointDefinition) => callerOf(given, one)
  /** Starts another instance with some replaced dependencies. */
  async function withParts(parts: Partial<Deps>, run: (url: string) => Promise<void>) {
    const { deps, recorder } = world.service
    const app = createApp({ ...deps, ...parts }, recorder, createLifecycle())
    try {
      await run(await app.listen({ host: '127.0.0.1', port: 0 }))
    } finally {
      await app.close()
    }
  }
  let limiters = 0
  const limited = (limit: number, run: (url: string) => Promise<void>) => {
    limiters += 1
    const { cache } = world.service.deps
    // The window lasts longer than any test.
    const limiter = createRateLimiter({ cache, limit, windowMs: 10 ** 12, name: `tiny-${limiters}` })
    const unknownTokens = createRateLimiter({ cache, limit, windowMs: 10 ** 12, name: `unknown-${limiters}` })
    return withParts({ limiter, unknownTokens }, run)
  }

  test('answers 405 with Allow to a method that it does not take, for every caller, and HEAD where there is GET', async () => {
    for (const path of new Set(endpoints.map((one) => addressOf(one)))) {
      const takes = endpoints.flatMap((one) => (addressOf(one) === path ? [one.method as string] : []))
      if (takes.includes('GET')) takes.push('HEAD')
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
        if (takes.includes(method)) continue
        const reply = await fetch(world.url + path, { method })
        expect(reply.status, `${method} ${path}`).toBe(405)
        expect(reply.headers.get('allow'), path).toBe(takes.toSorted().join(', '))
        if (method === 'HEAD') continue
        expect(await reply.json()).toMatchObject({ status: 405, code: 'METHOD_NOT_ALLOWED' })
      }
    }
  })

  // Skips these endpoints, because validations and submissions ignore the query string.
  const readsItself = ['POST /api/auth/validate', 'POST /api/inbound-webhooks/{id}/submit']
  test.each(
    rowsOf((one) => one.method !== 'GET' && one.auth !== 'none' && !readsItself.includes(nameOf(one))),
  )('%s: a change refuses what it does not know, such as a dry run that it cannot make', async (_, one) => {
    const unknown = propertiesOf(one.query).some(([name]) => name === 'dryRun') ? 'dryrun' : 'dryRun'
    const reply = await call(world.url, one.method, `${addressOf(one)}?${unknown}=true`, {
      ...good(one),
      ...(one.body && { body: {} }),
    })
    expect(reply.status, reply.text).toBe(400)
    expect(reply.body.errors).toContainEqual(expect.objectContaining({ path: `/${unknown}` }))
  })

  test.each(rowsOf(({ method }) => method === 'GET'))(
    '%s: HEAD is answered like GET, without a body',
    async (_, one) => {
      const { key, token } = good(one)
      const headers = {
        ...(key && { 'x-api-key': key }),
        ...(token && { authorization: `Bearer ${token}` }),
      }
      const get = await fetch(world.url + addressOf(one), { headers, redirect: 'manual' })
      await get.body?.cancel()
      const head = await fetch(world.url + addressOf(one), { method: 'HEAD', headers, redirect: 'manual' })
      expect(head.status).toBe(get.status)
      for (const name of [
        'content-type',
        'cache-control',
        'content-security-policy',
        'content-disposition',
      ]) {
        expect(head.headers.get(name), name).toBe(get.headers.get(name))
      }
      expect(await head.text()).toBe('')
      const refused = await fetch(world.url + addressOf(one), { method: 'HEAD', redirect: 'manual' })
      expect(refused.status).toBe(one.auth === 'none' ? get.status : 401)
    },
  )

  test('an event stream that HEAD asked for is let go at once', async () => {
    const headers = { 'x-api-key': given.project.key }
    for (let i = 0; i < 40; i++) {
      expect((await fetch(`${world.url}/api/events`, { method: 'HEAD', headers })).status).toBe(200)
    }
  })

  describe('under pressure', () => {
    const refusedAt = (level: 0 | 1 | 2) => async (url: string) => {
      for (const [name, one] of rowsOf(() => true)) {
        const { refusedUnderPressure: terms } = one
        const isRefused = terms === 'never' ? false : level >= (terms === 'last' ? 2 : 1)
        const reply = await call(url, one.method, addressOf(one), {
          ...good(one),
          ...(one.body && { body: {} }),
        })
        expect(reply.body?.code === 'SERVICE_OVERLOADED', `${name} at ${level}`).toBe(isRefused)
        if (isRefused) expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
      }
      const unknown = await call(url, 'GET', '/api/nothing')
      expect(unknown.status).toBe(level > 0 ? 503 : 404)
    }
    const pressure = (level: 0 | 1 | 2) => ({ level: () => level, watch: () => () => {} })

    test.each([1, 2] as const)(
      'is refused with 503 and Retry-After at level %i, in the order declared',
      async (level) => {
        await withParts({ pressure: pressure(level) }, refusedAt(level))
      },
    )

    test('is refused first, but for validate and the question of a proxy, which are last, and health, which never is', () => {
      const named = (terms: string) =>
        endpoints.filter(({ refusedUnderPressure }) => refusedUnderPressure === terms).map(nameOf)
      expect(named('last').sort()).toEqual(['GET /api/forward-auth', 'POST /api/auth/validate'])
      expect(named('never')).toEqual(['GET /api/health', 'GET /api/health/live', 'GET /api/health/ready'])
    })
  })

  describe('the limit counts the caller', () => {
    const stranger = (url: string) => call(url, 'GET', '/api/auth/sessions')
    const exhaustAddress = async (url: string) => {
      for (let i = 0; i < 200; i++) if ((await stranger(url)).status === 429) return
      throw new Error('the address is not limited')
    }

    test('a good key or session is answered behind an address that ran its limit out, with 401 where the rest is wrong', async () => {
      const session = await givenSession(world, given.project)
      const webhook = await givenWebhook(world, given.project)
      const token = mintToken('session')
      await limited(120, async (url) => {
        await exhaustAddress(url)
        const { key } = given.project
        const validate = await call(url, 'POST', '/api/auth/validate', { key, body: { token } })
        const exchange = await call(url, 'POST', '/api/auth/token', {
          key,
          body: { clientId: given.project.id, code: mintToken('code'), redirectUri: 'https://site.example/' },
        })
        const signature = { 'x-svc-signature': 't=1,v1=00' }
        const submitted = await submit({ url }, given.project, webhook.id, { body: {}, headers: signature })
        const refresh = await call(url, 'POST', '/api/auth/token/refresh', {
          token: session.token,
          body: { refreshToken: mintToken('refresh') },
        })
        expect(
          [validate, exchange, submitted, refresh].map(({ status, body }) => `${status} ${body.code}`),
        ).toEqual([
          '401 INVALID_TOKEN',
          '401 INVALID_CODE',
          '401 SIGNATURE_INVALID',
          '401 INVALID_REFRESH_TOKEN',
        ])
        const asked = rowsOf((one) => one.auth !== 'none' && !endsItsSession(one))
        for (const [name, one] of asked) {
          const reply = await call(url, one.method, addressOf(one), {
            ...good(one),
            ...(one.body && { body: {} }),
          })
          expect(reply.status, name).not.toBe(429)
        }
      })
    })

    test('401 that a good key is given counts for the key, and takes nothing from its address', async () => {
      await limited(3, async (url) => {
        const { key } = given.project
        const statuses: number[] = []
        for (let i = 0; i < 4; i++) {
          const { id: clientId } = given.project
          const body = { clientId, code: mintToken('code'), redirectUri: 'https://site.example/' }
          statuses.push((await call(url, 'POST', '/api/auth/token', { key, body })).status)
        }
        expect(statuses).toEqual([401, 401, 401, 429])
        expect([
          await stranger(url),
          await stranger(url),
          await stranger(url),
          await stranger(url),
        ]).toMatchObject([{ status: 401 }, { status: 401 }, { status: 401 }, { status: 429 }])
      })
    })

    test('submissions to a webhook that is cached count, too', async () => {
      const webhook = await givenWebhook(world, given.project)
      await limited(3, async (url) => {
        const statuses: number[] = []
        for (let i = 0; i < 4; i++)
          statuses.push(
            (await submit({ url }, given.project, webhook.id, { body: { name: 'n', age: i } })).status,
          )
        expect(statuses).toEqual([201, 201, 201, 429])
      })
    })

    test('made-up session tokens do not use up what the key that brings them may ask', async () => {
      const session = await givenSession(world, given.project)
      await limited(3, async (url) => {
        const { key } = given.project
        const validate = (token: string) => call(url, 'POST', '/api/auth/validate', { key, body: { token } })
        const replies = []
        for (let i = 0; i < 20; i++) replies.push(await validate(mintToken('session')))
        replies.push(await validate('no token at all'))
        expect(replies.map(({ status }) => status)).toEqual([401, 401, 401, ...Array(18).fill(429)])
        expect(Number(replies.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0)
        const known = [await validate(session.token), await validate(session.token)]
        expect(known.map(({ status }) => status)).toEqual([200, 200])
        const other = await call(url, 'POST', '/api/auth/logout', { key, body: { token: session.token } })
        expect(other.status).toBe(200)
      })
    })

    test('a member who is no admin is counted by their session where they are refused', async () => {
      await limited(2, async (url) => {
        const ask = () => call(url, 'GET', '/api/admin/projects', { token: given.member })
        expect([await ask(), await ask(), await ask()]).toMatchObject([
          { status: 403 },
          { status: 403 },
          { status: 429 },
        ])
        expect((await stranger(url)).status).toBe(401)
      })
    })

    test('made-up keys with the public prefix of a key do not use up what its holder may ask', async () => {
      const forged = () => {
        const body = `${keyPrefixOf(given.project.key)}_${mintToken('session').slice(4, 47)}`
        return body + checksumOf(body)
      }
      const body = { token: mintToken('session') }
      await limited(5, async (url) => {
        for (let i = 0; i < 10; i++) {
          expect([401, 429]).toContain(
            (await call(url, 'POST', '/api/auth/validate', { key: forged(), body })).status,
          )
        }
        expect((await call(url, 'POST', '/api/auth/validate', { key: given.project.key, body })).status).toBe(
          401,
        )
      })
    })

    test('addresses that are not there, other methods and the pages about the API count for the address', async () => {
      for (const [method, path] of [
        ['GET', '/api/nothing'],
        ['DELETE', '/api/health'],
        ['GET', '/api/docs'],
        ['GET', '/'],
      ] as const) {
        await limited(2, async (url) => {
          const statuses: number[] = []
          for (let i = 0; i < 3; i++) {
            statuses.push((await fetch(url + path, { method, redirect: 'manual' })).status)
          }
          expect(statuses[0], path).not.toBe(429)
          expect(statuses[2], path).toBe(429)
        })
      }
    })
  })

  test('a credential in the wrong header is 401 with a hint, which does not repeat it', async () => {
    const { project, member } = given
    const body = { token: member }
    for (const [path, sent, hint] of [
      ['/api/auth/validate', { token: project.key, body }, 'in the header X-API-Key, not in'],
      ['/api/auth/logout', { token: project.key, body }, 'in the header X-API-Key, not in'],
      ['/api/auth/logout', { key: member, body }, 'Send the API key of a project'],
    ] as const) {
      const reply = await call(world.url, 'POST', path, sent)
      expect([reply.status, reply.body.code]).toEqual([401, 'INVALID_API_KEY'])
      expect(reply.body.detail).toContain(hint)
    }
    for (const [path, sent, hint] of [
      ['/api/auth/sessions', { key: member }, 'in the header Authorization, as Bearer'],
      ['/api/auth/sessions', { token: project.key }, 'requires a session token'],
      ['/api/admin/projects', { key: project.key }, 'Check that you send the newest token'],
    ] as const) {
      const reply = await call(world.url, 'GET', path, sent)
      expect([reply.status, reply.body.code]).toEqual([401, 'INVALID_TOKEN'])
      expect(reply.body.detail).toContain(hint)
    }
    const plain = await call(world.url, 'GET', '/api/auth/sessions', { token: 'garbage' })
    expect(plain.body.detail).not.toMatch(/^Send the|but received/)
  })
})

/** Computes the checksum at the end of a credential, by its definition. */
function checksumOf(text: string): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  let rest = crc32(text)
  let out = ''
  for (let i = 0; i < 6; i++) {
    out = digits[rest % 62] + out
    rest = Math.floor(rest / 62)
  }
  return out
}
