import { bodyLimitOf, type EndpointDefinition, exampleBody } from '@rolecall/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { createApp } from '../src/app.ts'
import { createLifecycle } from '../src/platform/http/lifecycle.ts'
import { createRateLimiter } from '../src/platform/rate-limit/rate-limiter.ts'
import { type Call, call } from './client.ts'
import { type Credentials, callerOf, forgetRoles, givenCredentials, givenFormerAdmin } from './credentials.ts'
import { mainEngines } from './databases.ts'
import { givenProject } from './given.ts'
import {
  addressOf,
  isClosed,
  nameOf,
  propertiesOf,
  rowsOf,
  type Schema,
  takes,
  wrongTypes,
} from './requests.ts'
import { worldForTests } from './world-for-tests.ts'

describe.each(mainEngines)('every endpoint of the contract on %s', (engine) => {
  let given: Credentials
  const world = worldForTests(engine)
  beforeAll(async () => {
    given = await givenCredentials(world)
  })

  const good = (one: EndpointDefinition) => callerOf(given, one)
  const ask = (one: EndpointDefinition, options: Call) =>
    call(world.url, one.method, addressOf(one), { ...good(one), ...options })
  /** Returns invalid forms of a request. The service must reject the caller before it checks the request. */
  const badRequests = (one: EndpointDefinition): [string, Call][] => [
    [addressOf(one), {}],
    [`${addressOf(one, { malformed: true })}?unknown=%ff`, {}],
    ...(one.method === 'GET'
      ? []
      : ([[addressOf(one), { raw: 'x', headers: { 'content-type': 'garbage' } }]] as [string, Call][])),
    ...(one.body
      ? ([
          [addressOf(one), { body: { unknown: 1 } }],
          [addressOf(one), { raw: '{' }],
          [addressOf(one), { raw: 'x', headers: { 'content-type': 'text/plain' } }],
        ] as [string, Call][])
      : []),
  ]
  async function refusesAll(one: EndpointDefinition, sent: Call, status: number, code: string, title = '') {
    for (const [address, request] of badRequests(one)) {
      const headers = { ...request.headers, ...sent.headers }
      const reply = await call(world.url, one.method, address, { ...request, ...sent, headers })
      expect([reply.status, reply.body?.code], `${title} ${address}`).toEqual([status, code])
    }
  }

  describe.each(rowsOf(({ auth }) => auth === 'admin'))('%s', (_, one) => {
    test('answers 401 to every request without a credential', async () => {
      for (const [title, sent] of Object.entries(given.badTokens)) {
        await refusesAll(one, sent, 401, 'INVALID_TOKEN', title)
      }
    })

    test('answers 403 to every request with the session of a member', async () => {
      await refusesAll(one, { token: given.member }, 403, 'NOT_SYSTEM_ADMIN')
    })
  })

  test('every admin endpoint answers 403 to an admin session whose member lost the role', async () => {
    const token = await givenFormerAdmin(world)
    await forgetRoles(world)
    for (const [, one] of rowsOf(({ auth }) => auth === 'admin')) {
      await refusesAll(one, { token }, 403, 'NOT_SYSTEM_ADMIN')
    }
  })

  test('every admin endpoint answers 403 to the console’s cookie from another site', async () => {
    for (const [, one] of rowsOf(({ auth }) => auth === 'admin')) {
      for (const headers of [{}, { origin: 'https://evil.example' }, { 'sec-fetch-site': 'same-site' }]) {
        const sent = { headers: { cookie: `svc_admin=${given.admin}`, ...headers } as Record<string, string> }
        await refusesAll(one, sent, 403, 'CROSS_SITE_REQUEST')
      }
    }
  })

  test.each(rowsOf(({ auth }) => auth === 'session'))(
    '%s answers 401 without a credential',
    async (_, one) => {
      for (const [title, sent] of Object.entries(given.badTokens)) {
        await refusesAll(one, sent, 401, 'INVALID_TOKEN', title)
      }
    },
  )

  test.each(rowsOf(({ auth }) => auth === 'projectKey'))(
    '%s answers 401 without a good key',
    async (_, one) => {
      for (const [title, sent] of Object.entries(given.badKeys)) {
        await refusesAll(one, sent, 401, 'INVALID_API_KEY', title)
      }
    },
  )

  test('every project endpoint answers 401 PROJECT_INACTIVE to the key of a deactivated project', async () => {
    const { key } = await givenProject(world, { isActive: false })
    for (const [, one] of rowsOf(({ auth }) => auth === 'projectKey')) {
      await refusesAll(one, { key }, 401, 'PROJECT_INACTIVE')
    }
  })

  describe.each(rowsOf(({ body }) => body))('the body of %s', (_, one) => {
    const properties = propertiesOf(one.body)
    const refused = async (options: Call, status: number, code: string) => {
      const reply = await ask(one, options)
      expect([reply.status, reply.body?.code], JSON.stringify(options).slice(0, 200)).toEqual([status, code])
      return (reply.body.errors ?? []).map(({ path }: { path: string }) => path) as string[]
    }

    test('must be JSON in UTF-8, sent as JSON', async () => {
      // An optional body may be empty.
      const nothing = one.bodyOptional ? [] : ['']
      for (const raw of [...nothing, '{', '{"a":1,}', "{'a':1}", 'NaN', '{"a":1}{}', '\uFEFF{}', '[1', '"']) {
        await refused({ raw }, 400, 'MALFORMED_JSON')
      }
      await refused({ raw: Buffer.from('7b2261223a22ff227d', 'hex') }, 400, 'MALFORMED_JSON')
      await refused({ raw: Buffer.from('{}', 'utf16le') }, 400, 'MALFORMED_JSON')
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/jsonp',
        'json',
        '',
      ]) {
        await refused({ raw: '{}', headers: { 'content-type': type } }, 415, 'UNSUPPORTED_MEDIA_TYPE')
      }
      await refused({ raw: '{}', headers: { 'content-encoding': 'gzip' } }, 415, 'UNSUPPORTED_MEDIA_TYPE')
    })

    test('is refused beyond the declared limit, and read up to it', async () => {
      const raw = `"${'x'.repeat(bodyLimitOf(one) - 1)}"`
      await refused({ raw }, 413, 'PAYLOAD_TOO_LARGE')
      await refused({ raw: raw.slice(2) }, 400, 'MALFORMED_JSON')
    })

    test('is refused when it is too deep to read', async () => {
      const depth = Math.floor((bodyLimitOf(one) - 1) / 6)
      const reply = await ask(one, { raw: `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}` })
      expect(reply.status).toBe(400)
    })

    if (!isClosed(one)) return

    test('is an object with known keys, and every problem is named', async () => {
      for (const body of [[], ['x'], 'x', '', null, 5, true]) {
        await refused({ body }, 400, 'VALIDATION_FAILED')
      }
      for (const raw of ['{"__proto__":{}}', '{"constructor":{}}', '{"id":1,"isSystemAdmin":true}']) {
        const paths = await refused({ raw }, 400, 'VALIDATION_FAILED')
        for (const key of Object.keys(JSON.parse(raw))) expect(paths).toContain(`/${key}`)
      }
      const wrong = Object.fromEntries(properties.map(([key, schema]) => [key, wrongTypes(schema)[0]]))
      const paths = await refused({ body: { ...wrong, unknown: 1, '~/': 1 } }, 400, 'VALIDATION_FAILED')
      const keys = properties.map(([key]) => `/${key}`)
      expect(new Set(paths)).toEqual(new Set([...keys, '/unknown', '/~0~1']))
    })

    test.each(properties)('%s takes nothing of another type', async (key, schema) => {
      for (const value of wrongTypes(schema)) {
        const paths = await refused({ body: { [key]: value } }, 400, 'VALIDATION_FAILED')
        expect(paths, JSON.stringify(value)).toContain(`/${key}`)
      }
    })

    test.each(properties.filter(([, schema]) => takes(schema, 'string')))(
      '%s takes neither NUL nor half a character',
      async (key) => {
        for (const text of ['"a\\u0000b"', '"\\ud800"', '"a\\udc00b"']) {
          const paths = await refused({ raw: `{"${key}":${text}}` }, 400, 'VALIDATION_FAILED')
          expect(paths).toContain(`/${key}`)
        }
      },
    )
  })

  test.each(rowsOf(({ query }) => (query as Schema | undefined)?.additionalProperties === false))(
    'the query of %s takes no other keys, no other types, and no broken encoding',
    async (_, one) => {
      const refused = async (search: string, path: string) => {
        const body = one.body && { body: exampleBody(one.body) }
        const reply = await call(world.url, one.method, `${addressOf(one)}?${search}`, {
          ...good(one),
          ...body,
        })
        expect(reply.status, search).toBe(400)
        expect(
          reply.body.errors.map((error: { path: string }) => error.path),
          search,
        ).toContain(path)
      }
      await refused('unknown=1', '/unknown')
      await refused('__proto__=1', '/__proto__')
      for (const [key, schema] of propertiesOf(one.query)) {
        await refused(`${key}=%ff`, `/${key}`)
        if (schema.type === 'string') {
          await refused(`${key}=a%00b`, `/${key}`)
          await refused(`${key}=1&${key}=2`, `/${key}`)
        }
        if (schema.type === 'integer' || schema.type === 'number') {
          for (const value of ['', 'x', '1e3', '0x10', '-1', '1.5', '%201', '99999999999999999999', '٣']) {
            await refused(`${key}=${value}`, `/${key}`)
          }
        }
        if (schema.type === 'boolean') {
          for (const value of ['', '1', 'TRUE', 'yes']) await refused(`${key}=${value}`, `/${key}`)
        }
      }
    },
  )

  test('malformed ids in the path are 400 where their form is declared, and never found', async () => {
    for (const [, one] of rowsOf(({ params }) => params)) {
      const hasFormat = propertiesOf(one.params).some(([, { format }]) => format)
      const reply = await call(world.url, one.method, addressOf(one, { malformed: true }), {
        ...good(one),
        ...(one.body && { body: {} }),
      })
      expect(reply.status, nameOf(one)).toBe(400)
      if (hasFormat) expect(reply.body.code).toBe('VALIDATION_FAILED')
    }
  })

  test('every limited endpoint answers 429 with Retry-After to who asks too often', async () => {
    const { deps, recorder } = world.service
    const limiter = createRateLimiter({ cache: deps.cache, limit: 1, windowMs: 60_000, name: 'tiny' })
    const app = createApp({ ...deps, limiter }, recorder, createLifecycle())
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    const limited = rowsOf(({ unlimited }) => unlimited === undefined)
    expect(limited.length).toBeGreaterThan(50)
    for (const [name, one] of limited) {
      const statuses: number[] = []
      for (let i = 0; i < 3; i++) {
        const reply = await call(url, one.method, addressOf(one), {
          ...good(one),
          ...(one.body && { body: {} }),
        })
        statuses.push(reply.status)
        if (reply.status !== 429) continue
        expect(reply.body.code).toBe('RATE_LIMITED')
        expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
        expect(reply.headers.get('ratelimit-policy')).toContain('q=1')
      }
      expect(statuses.at(-1), `${name} ${statuses}`).toBe(429)
    }
    await app.close()
  })
})
