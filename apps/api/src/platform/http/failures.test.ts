import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { type EndpointDefinition, endpoint } from '@rolecall/contract'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { afterEach, describe, expect, test } from 'vitest'
import { createMemoryCache } from '#platform/cache/memory-cache'
import { createLog, type Log } from '#platform/log'
import { createPressure } from '#platform/pressure'
import { createRateLimiter } from '#platform/rate-limit/rate-limiter'
import { Answer } from './answer.ts'
import { ApiError } from './api-error.ts'
import { Front, type MemoryResponse } from './front.ts'
import { createLifecycle } from './lifecycle.ts'
import { createBodyReader } from './read-bytes.ts'
import { createRequestIds } from './request-id.ts'
import { createResponder, type Observer } from './responder.ts'
import { createRouter } from './router.ts'
import { createServer, refuseWith } from './server.ts'

/** Everything that can fail while a request is answered; a test replaces one of them. */
interface Parts {
  authenticate(): { bucket: string }
  onRefused(): Promise<void>
  take(): { allowed: boolean; limit: number; remaining: number; resetSec: number }
  handle(): unknown
  raw(): Promise<string>
  known(): MemoryResponse | undefined
  page(): Answer
  onRequest(): unknown
  onResponse(): unknown
  observer: Observer
  logged(line: string): void
}

const fine = { ok: true }
const good: Parts = {
  authenticate: () => ({ bucket: 'anyone' }),
  onRefused: async () => {},
  take: () => ({ allowed: true, limit: 9, remaining: 9, resetSec: 1 }),
  handle: () => fine,
  raw: async () => '{"ok":true}',
  known: () => ({ caller: { bucket: 'b' }, json: '{"ok":true}' }),
  page: () => new Answer(200, 'fine', { 'content-type': 'text/plain' }),
  onRequest: () => {},
  onResponse: () => {},
  observer: { began: () => {}, answered: () => {}, refused: () => {} },
  logged: () => {},
}

const shared = {
  tag: 'Test',
  summary: 'Test',
  auth: 'none',
  answers: { 200: Type.Object({ ok: Type.Boolean() }) },
  refuses: [],
} as const
const definitions: Record<string, EndpointDefinition> = {
  get: endpoint({ ...shared, method: 'GET', path: '/get' }),
  post: endpoint({ ...shared, method: 'POST', path: '/post', body: Type.Object({}) }),
  browser: endpoint({ ...shared, method: 'GET', path: '/browser', page: true }),
  raw: endpoint({ ...shared, method: 'POST', path: '/raw' }),
  known: endpoint({ ...shared, method: 'POST', path: '/known' }),
}

describe('failures during a response', () => {
  let app: FastifyInstance
  let url: string
  let errors: string[]
  afterEach(() => app.close())

  /** Starts a server of the real parts, with one of their dependencies replaced. */
  async function serve(fault: Partial<Parts>) {
    let parts: Parts = { ...good, ...fault }
    errors = []
    const log: Log = createLog('error', {
      write: (line) => {
        errors.push(line)
        parts.logged(line)
      },
    })
    const bodies = createBodyReader()
    const front = new Front(bodies)
    const requestId = createRequestIds()
    app = createServer(
      { publicUrl: 'http://localhost', trustProxy: [], maxConnections: 1_000 },
      { lifecycle: createLifecycle(), log, front, requestId },
    )
    const respond = createResponder({
      writes: { writes: () => 0, confirm: async () => {} },
      publicUrl: 'http://localhost',
      log,
      // Words the details of the problem, as the real page does.
      refusalPage: ({ message, details }, requestId) => ({
        body: `${message} ${JSON.stringify(details.errors)} ${requestId}`,
        headers: { 'content-type': 'text/html; charset=utf-8' },
      }),
      observer: {
        began: (request) => parts.observer.began(request),
        answered: (...told) => parts.observer.answered(...told),
        refused: (...told) => parts.observer.refused(...told),
      },
    })
    refuseWith(app, respond)
    app.addHook('onRequest', async () => parts.onRequest())
    app.addHook('onResponse', async () => parts.onResponse())
    const authenticate = () => parts.authenticate()
    const limiter = createRateLimiter({ cache: createMemoryCache(), limit: 0, windowMs: 1_000 })
    const router = createRouter({
      app,
      authenticators: {
        none: authenticate,
        projectKey: authenticate,
        session: authenticate,
        admin: authenticate,
      },
      limiter: { ...limiter, consume: () => parts.take() },
      respond,
      bodies,
      pressure: createPressure(log),
      checkCaller: () => {},
      front,
      requestId,
    })
    for (const name of ['get', 'post', 'browser']) {
      const definition = definitions[name] as EndpointDefinition
      router.route(
        definition,
        async () => parts.handle() as undefined,
        () => parts.onRefused(),
      )
    }
    router.routeRaw(
      definitions['raw'] as EndpointDefinition,
      async () => parts.raw(),
      () => undefined,
    )
    router.routeRaw(
      definitions['known'] as EndpointDefinition,
      async () => parts.raw(),
      () => parts.known(),
    )
    router.page('/page', {}, () => parts.page())
    url = await app.listen({ host: '127.0.0.1', port: 0 })
    return () => {
      parts = good
    }
  }

  /** Returns the status, or the end of the connection; a client that is left waiting fails the test. */
  const ask = async (path: string, init: RequestInit = {}) => {
    const signal = AbortSignal.timeout(20_000)
    try {
      const response = await fetch(url + path, { ...init, signal })
      const text = await response.text()
      if (response.status >= 400) {
        const isPage = response.headers.get('content-type')?.startsWith('text/html')
        if (!isPage) expect(JSON.parse(text)).toMatchObject({ status: response.status })
        expect(response.headers.get('x-request-id')).toBeTruthy()
        expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      }
      return String(response.status)
    } catch (error) {
      if (signal.aborted) throw new Error('The client was left waiting.')
      if (error instanceof TypeError) return 'connection ended'
      throw error
    }
  }
  const post: RequestInit = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }
  const html: RequestInit = { headers: { accept: 'text/html' } }
  const pipelines: Record<string, () => Promise<string>> = {
    'an endpoint': () => ask('/get'),
    'an endpoint with a body': () => ask('/post', post),
    'a page of an endpoint': () => ask('/browser', html),
    'finished JSON': () => ask('/raw', post),
    'finished JSON from memory': () => ask('/known', post),
    'a page beside the contract': () => ask('/page'),
    'an unknown address': () => ask('/nothing'),
    'another method': () => ask('/get', { method: 'DELETE' }),
    'HEAD of an endpoint': () => ask('/get', { method: 'HEAD' }).catch(() => 'no body to read'),
    'an address that is none': () => ask('/%zz'),
  }

  /** The next request is served, by the same process. */
  async function expectWell(mend: () => void) {
    mend()
    expect([await ask('/get'), await ask('/raw', post), await ask('/nothing')]).toEqual(['200', '200', '404'])
  }

  const fail = (): never => {
    throw new Error('planted')
  }
  const hostile = new Proxy(new Error('hostile'), { get: fail, getPrototypeOf: fail })
  const anything: [string, () => never][] = [
    ['an error', fail],
    [
      'null',
      () => {
        throw null
      },
    ],
    [
      'undefined',
      () => {
        throw undefined
      },
    ],
    [
      'what throws when it is looked at',
      () => {
        throw hostile
      },
    ],
    [
      'an error that calls itself the client’s',
      () => {
        throw Object.assign(new Error(), { statusCode: 404, code: 'ECONNRESET' })
      },
    ],
  ]
  const cyclic: Record<string, unknown> = {}
  cyclic['itself'] = cyclic
  const answers: [string, () => unknown][] = [
    ['a body with a BigInt', () => ({ n: 1n })],
    ['a body that holds itself', () => cyclic],
    ['a body whose toJSON throws', () => ({ toJSON: fail })],
    ['a header beyond Latin-1', () => new Answer(302, undefined, { location: 'https://site.example/ā' })],
    ['a header of two lines', () => new Answer(200, {}, { 'x-a': 'a\r\nb: c' })],
    ['a cookie beyond Latin-1', () => new Answer(200, {}, { 'set-cookie': ['a=b', 'c=→'] })],
    ['a header whose name is none', () => new Answer(200, {}, { 'x a': 'b' })],
    ['a status that is none', () => new Answer(99_999, {})],
    [
      'a refusal with a header beyond Latin-1',
      () => {
        throw new ApiError('INVALID_TOKEN', { headers: { location: 'ā' } })
      },
    ],
    [
      'a refusal with details that are no JSON',
      () => {
        throw new ApiError('VALIDATION_FAILED', {
          errors: [{ path: 1n as unknown as string, message: '', code: '' }],
        })
      },
    ],
    [
      'a stream that fails at once',
      () =>
        new Answer(
          200,
          undefined,
          {},
          new Readable({
            read() {
              this.destroy(new Error('planted'))
            },
          }),
        ),
    ],
    [
      'a stream that failed before it was answered with',
      () => new Answer(200, undefined, {}, Readable.from(['a']).destroy(new Error('planted'))),
    ],
    [
      'a stream whose head is refused',
      () => new Answer(200, undefined, { 'x-a': 'ā' }, Readable.from(['a'])),
    ],
  ]

  describe.each([...anything.map(([title, run]) => [`a handler throws ${title}`, run] as const), ...answers])(
    '%s',
    (_, handle) => {
      test.each(['/get', '/browser'])('%s is a plain 500 and one log line', async (path) => {
        const mend = await serve({ handle })
        expect(await ask(path, html)).toBe('500')
        expect(errors).toHaveLength(1)
        await expectWell(mend)
      })
    },
  )

  test.each(['/get', '/browser'])(
    '%s: a stream that fails after its first byte ends the connection, in one log line',
    async (path) => {
      let stream: Readable | undefined
      const mend = await serve({
        handle: () => {
          async function* parts() {
            yield 'first'
            fail()
          }
          stream = Readable.from(parts())
          return new Answer(200, undefined, { 'content-type': 'text/event-stream' }, stream)
        },
      })
      expect(await ask(path, html)).toBe('connection ended')
      expect(stream?.destroyed).toBe(true)
      expect(errors).toHaveLength(1)
      await expectWell(mend)
    },
  )

  test('a client that leaves before the first byte of a stream, or after it, lets go of the stream and is no failure', async () => {
    for (const sent of [[], ['first']]) {
      const stream = new Readable({ read() {} })
      let open = () => {}
      const opened = new Promise<void>((resolve) => {
        open = resolve
      })
      const mend = await serve({
        handle: () => {
          for (const part of sent) stream.push(part)
          open()
          return new Answer(200, undefined, {}, stream)
        },
      })
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      socket.write('GET /get HTTP/1.1\r\nHost: x\r\n\r\n')
      await opened
      if (sent.length > 0) await once(socket, 'data')
      const closed = once(stream, 'close')
      socket.destroy()
      await closed
      expect(errors).toEqual([])
      await expectWell(mend)
      await app.close()
    }
    await serve({})
  })

  test('what memory answers wrongly is answered by the handler, or is a plain 500', async () => {
    const known = { caller: { bucket: 'b' }, json: '{"ok":true}' }
    for (const [answer, expected] of [
      [() => known, '200'],
      [() => undefined, '200'],
      [fail, '500'],
      [() => ({ ...known, json: undefined as unknown as string }), '200'],
    ] as const) {
      const mend = await serve({ known: answer })
      expect(await ask('/known', post)).toBe(expected)
      expect(errors).toHaveLength(expected === '500' ? 1 : 0)
      await expectWell(mend)
      await app.close()
    }
    await serve({})
  })

  test('finished JSON that is none, and a handler of it that throws anything, is a plain 500', async () => {
    for (const raw of [
      ...anything.map(
        ([, run]) =>
          async () =>
            run(),
      ),
      async () => undefined as unknown as string,
    ]) {
      const mend = await serve({ raw })
      expect(await ask('/raw', post)).toBe('500')
      expect(errors).toHaveLength(1)
      await expectWell(mend)
      await app.close()
    }
    await serve({})
  })

  const parts: [string, Partial<Parts>, Record<string, string>][] = [
    ['who asks', { authenticate: fail }, { 'an endpoint': '500', 'a page of an endpoint': '500' }],
    [
      'who asks, and the closer look at that',
      {
        authenticate: () => {
          throw new ApiError('INVALID_TOKEN')
        },
        onRefused: fail,
      },
      { 'an endpoint': '500' },
    ],
    [
      'the limit',
      { take: fail },
      {
        'an endpoint': '500',
        'an unknown address': '500',
        'another method': '500',
        'a page beside the contract': '500',
      },
    ],
    [
      'the limit of those who were turned away',
      {
        authenticate: () => {
          throw new ApiError('INVALID_TOKEN')
        },
        take: fail,
      },
      { 'an endpoint': '500' },
    ],
    ['a page beside the contract', { page: fail }, { 'a page beside the contract': '500' }],
    [
      'a hook before',
      { onRequest: fail },
      { 'an endpoint': '500', 'finished JSON': '500', 'an unknown address': '500' },
    ],
    [
      'a hook after',
      { onResponse: fail },
      { 'an endpoint': '200', 'finished JSON': '200', 'an unknown address': '404' },
    ],
    [
      'what counts beginnings',
      { observer: { ...good.observer, began: fail } },
      { 'an endpoint': '200', 'finished JSON': '200' },
    ],
    [
      'what counts answers',
      { observer: { ...good.observer, answered: fail } },
      {
        'an endpoint': '200',
        'finished JSON': '200',
        'an unknown address': '404',
        'another method': '405',
        'an address that is none': '400',
      },
    ],
    [
      'what records refusals',
      { observer: { ...good.observer, refused: fail }, page: fail },
      {
        'an endpoint': '200',
        'an unknown address': '404',
        'an address that is none': '400',
        'a page beside the contract': '500',
      },
    ],
    [
      'the log, and a handler',
      { handle: fail, raw: async () => fail(), page: fail, logged: fail },
      { 'an endpoint': '500', 'finished JSON': '500', 'a page of an endpoint': '500' },
    ],
  ]
  test.each(parts)(
    'when %s fails, every pipeline answers and the next request is served',
    async (_, fault, expected) => {
      const mend = await serve(fault)
      const statuses: Record<string, string> = {}
      for (const [name, run] of Object.entries(pipelines)) statuses[name] = await run()
      expect(statuses).toMatchObject(expected)
      await expectWell(mend)
    },
  )

  test('bytes that are no request, when even looking at their error fails, end their connection only', async () => {
    const mend = await serve({})
    for (const error of [hostile, null, new Error('unknown')]) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      const [server] = (await once(app.server, 'connection')) as [import('node:net').Socket]
      const closed = once(socket.resume(), 'close')
      app.server.emit('clientError', error, server)
      await closed
    }
    await expectWell(mend)
  })
})
