import { once } from 'node:events'
import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { givenSession } from '../../../test/given.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { type RawReply, sendRaw } from '../../../test/raw-http.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

/** Sends bytes that no HTTP client would send. None of this reaches the database, so one engine is enough. */
describe('raw HTTP', () => {
  const world = worldForTests('pglite', { PERMISSION_TTL_MS: '3600000' })
  const project = projectForTests(world)
  const session = madeForTests(() => givenSession(world, project))

  const send = (text: string | string[], options = {}) => sendRaw(world.url, text, options)
  const get = (path: string, ...lines: string[]) =>
    send(
      [
        `GET ${path} HTTP/1.1`,
        'Host: x',
        'Accept: application/json',
        ...lines,
        'Connection: close',
        '',
        '',
      ].join('\r\n'),
    )

  /** Expects the form of every refusal, independently of the layer that detected the problem. */
  const expectProblem = (reply: RawReply, status: number, code?: string) => {
    expect(reply.status, reply.text.slice(0, 200)).toBe(status)
    expect(reply.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(reply.headers['x-content-type-options']).toBe('nosniff')
    expect(reply.headers['cache-control']).toBe('no-store')
    const problem = JSON.parse(reply.body)
    expect(problem).toMatchObject({ status, requestId: reply.headers['x-request-id'] })
    if (code) expect(problem.code).toBe(code)
    for (const name of ['server', 'x-powered-by']) expect(reply.headers[name]).toBeUndefined()
  }

  test.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['an unknown method', 'FROB /api/health HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['an unknown version', 'GET /api/health HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['a space before the colon', 'GET /api/health HTTP/1.1\r\nHost : x\r\n\r\n'],
    ['NUL in a header', 'GET /api/health HTTP/1.1\r\nHost: x\r\nX-A: a\0b\r\n\r\n'],
    ['a bare CR in a header', 'GET /api/health HTTP/1.1\r\nHost: x\r\nX-A: a\rb\r\n\r\n'],
    [
      'two Content-Lengths',
      'POST /api/auth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}x',
    ],
    ['a signed Content-Length', 'POST /api/auth/token HTTP/1.1\r\nHost: x\r\nContent-Length: +2\r\n\r\n{}'],
    [
      'length and chunks',
      'POST /api/auth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'chunks that are not last',
      'POST /api/auth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
    ],
    [
      'a chunk size that is none',
      'POST /api/auth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n\r\n',
    ],
  ])('%s is 400 in the shape of all refusals, and the connection ends', async (_, bytes) => {
    // The bytes after it must never be taken for a separate request.
    const reply = await send(`${bytes}GET /api/health/live HTTP/1.1\r\nHost: x\r\n\r\n`)
    expectProblem(reply, 400, 'BAD_REQUEST')
    expect(reply.text.match(/HTTP\/1\.1 /g)).toHaveLength(1)
  })

  test.each([
    ['a request without Host', 'GET /api/health HTTP/1.1\r\n\r\n', 400, 'BAD_REQUEST'],
    ['two Hosts', 'GET /api/health HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', 400, 'BAD_REQUEST'],
    ['the same Host twice', 'GET /api/health HTTP/1.1\r\nHost: x\r\nhOST: x\r\n\r\n', 400, 'BAD_REQUEST'],
    [
      'two Hosts and no address of ours',
      'GET /no HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n',
      400,
      'BAD_REQUEST',
    ],
    ['two Hosts of HTTP/1.0', 'GET /api/health HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n', 400, 'BAD_REQUEST'],
    ['no Host and no address of ours', 'GET /nothing HTTP/1.1\r\n\r\n', 400, 'BAD_REQUEST'],
    [
      'a body without Host',
      'POST /api/auth/token HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}',
      400,
      'BAD_REQUEST',
    ],
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'BAD_REQUEST'],
    [
      'an expectation that nobody meets',
      'GET /api/health HTTP/1.1\r\nHost: x\r\nExpect: foo\r\n\r\n',
      417,
      'EXPECTATION_FAILED',
    ],
  ])('%s, which Node would answer itself, is refused as all others are', async (_, bytes, status, code) => {
    const reply = await send(bytes)
    expectProblem(reply, status, code)
    expect(reply.headers['connection']).toBe('close')
    expect(reply.headers['content-security-policy']).toContain("default-src 'none'")
  })

  test('two Hosts are refused also where the answer is in memory', async () => {
    const body = JSON.stringify({ token: session.token })
    const ask = (...lines: string[]) =>
      send(
        `${post('/api/auth/validate')}${lines.join('')}X-API-Key: ${project.key}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200])
    expectProblem(await ask('Host: y\r\n'), 400, 'BAD_REQUEST')
  })

  test('HTTP/1.0 needs no Host, and 100-continue is met', async () => {
    expect((await send('GET /api/health/live HTTP/1.0\r\n\r\n')).status).toBe(200)
    const body = JSON.stringify({ token: session.token })
    const head = `${post('/api/auth/validate')}X-API-Key: ${project.key}\r\nConnection: close\r\n`
    const reply = await send(`${head}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    expect(reply.text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
  })

  test('a client that hangs up on the answer to CONNECT is no failure', async () => {
    const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
    socket.write('CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', () => socket.resetAndDestroy())
    await once(socket, 'close')
    expect((await call(world.url, 'GET', '/api/health/live')).status).toBe(200)
  })

  test('headers of more than 16 KB are 431', async () => {
    expectProblem(await get('/api/health', `X-Big: ${'x'.repeat(20_000)}`), 431, 'HEADERS_TOO_LARGE')
    const many = Array.from({ length: 2_000 }, (_, i) => `X-${i}: value`)
    expectProblem(await get('/api/health', ...many), 431, 'HEADERS_TOO_LARGE')
  })

  test('an address of 16 KB, a parameter of 300 characters and broken escapes are refused, each in its status', async () => {
    expectProblem(await get(`/api/health?${'x'.repeat(16_384)}`), 431, 'HEADERS_TOO_LARGE')
    expectProblem(await get(`/api/auth/authorize?state=${'x'.repeat(15_000)}`), 400, 'VALIDATION_FAILED')
    expectProblem(await get(`/api/auth/sessions/${'x'.repeat(300)}`), 404)
    expectProblem(await get('/api/%zz'), 400, 'BAD_REQUEST')
    expectProblem(await get('/api/auth/authorize?state=%zz'), 400, 'VALIDATION_FAILED')
  })

  test('unknown paths are 404, also where a cache would be deceived, and other methods 405', async () => {
    const paths = [
      '/api',
      '/api/',
      '/api/nothing',
      '/api/auth/sessions/',
      '/api/auth/sessions/a/x.css',
      '/api/health/../health',
      '/API/HEALTH',
      '//api/health',
      '/api/auth/sessions.js',
      '/.env',
      '/api/..%2f..%2fetc%2fpasswd',
    ]
    for (const path of paths) expect([400, 401, 404], path).toContain((await get(path)).status)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
      const reply = await send(
        `${method} /api/health HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      )
      expectProblem(reply, 405, 'METHOD_NOT_ALLOWED')
      expect(reply.headers['allow']).toBe('GET, HEAD')
    }
  })

  test('a method that a header claims is not the method', async () => {
    const path = `/api/auth/sessions`
    const reply = await get(path, 'X-HTTP-Method-Override: DELETE', `Authorization: Bearer ${session.token}`)
    expect(reply.status).toBe(200)
  })

  test('a credential that is sent twice is ambiguous, and counts as none', async () => {
    const good = `Authorization: Bearer ${session.token}`
    expect((await get('/api/auth/sessions', good)).status).toBe(200)
    for (const lines of [
      [good, good],
      [good, 'Authorization: Bearer other'],
      ['Authorization: Basic x', good],
      [good, `authorization: Bearer ${session.token}`],
    ]) {
      expectProblem(await get('/api/auth/sessions', ...lines), 401, 'INVALID_TOKEN')
    }
    const body = JSON.stringify({ token: session.token })
    const post = (...lines: string[]) =>
      send(
        [
          'POST /api/auth/validate HTTP/1.1',
          'Host: x',
          'Content-Type: application/json',
          `Content-Length: ${body.length}`,
          ...lines,
          'Connection: close',
          '',
          body,
        ].join('\r\n'),
      )
    const key = `X-API-Key: ${project.key}`
    expect((await post(key)).status).toBe(200)
    for (const lines of [
      [key, key],
      [key, 'X-API-Key: other'],
      ['x-api-key: other', key],
    ]) {
      expectProblem(await post(...lines), 401, 'INVALID_API_KEY')
    }
  })

  test('the recorded address is the peer’s, despite headers of a stranger', async () => {
    await get(
      '/api/auth/sessions',
      'X-Forwarded-For: 203.0.113.9',
      'X-Real-IP: 203.0.113.9',
      'Forwarded: for=203.0.113.9',
      'Authorization: Bearer recorded',
    )
    await world.service.recorder.flush()
    const rows = await world.service.deps.db.query<{ address: string; path: string }>({
      text: 'select distinct address, path from auth_failures',
      values: [],
    })
    expect(rows.length).toBeGreaterThan(0)
    for (const { address, path } of rows) {
      expect(address).toBe('127.0.0.1')
      expect(path).not.toContain('?')
    }
  })

  // Node.js drops the bytes after such a request, so the client must not wait for their response.
  describe.each([
    ['both headers', 'Connection: Upgrade\r\nUpgrade: h2c\r\n'],
    ['WebSocket', 'Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n'],
    ['two Connection lines', 'Connection: keep-alive\r\nConnection: upgrade\r\nUpgrade: h2c\r\n'],
  ])('a request to change the protocol, with %s', (_, lines) => {
    const body = () => JSON.stringify({ token: session.token })
    const requests: readonly (readonly [string, () => string])[] = [
      ['GET /api/health', () => `GET /api/health HTTP/1.1\r\nHost: x\r\n${lines}\r\n`],
      ['GET /nothing', () => `GET /nothing HTTP/1.1\r\nHost: x\r\n${lines}\r\n`],
      [
        'POST /api/auth/validate',
        () =>
          `${post('/api/auth/validate')}X-API-Key: ${project.key}\r\n${lines}Content-Length: ${body().length}\r\n\r\n${body()}`,
      ],
    ]
    test.each(requests)('is answered, and the connection ends: %s', async (name, request) => {
      const reply = await send(`${request()}GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n`)
      expect(reply.status).toBe(name === 'GET /nothing' ? 404 : 200)
      expect(reply.headers['connection']).toBe('close')
      expect(reply.text.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    })
  })

  test('a request that names a protocol without asking to change it keeps its connection', async () => {
    const health = 'GET /api/health HTTP/1.1\r\nHost: x\r\n'
    const { text } = await send(`${health}Upgrade: h2c\r\n\r\n${health}Connection: close\r\n\r\n`)
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(2)
  })

  test('a request id of the caller is kept when it is a plain word, and replaced when it is not', async () => {
    expect((await get('/api/health', 'X-Request-Id: caller-request-1')).headers['x-request-id']).toBe(
      'caller-request-1',
    )
    for (const bad of ['short', 'a b c d e f g h', '<script>alert</script>', 'x'.repeat(65)]) {
      expect((await get('/api/health', `X-Request-Id: ${bad}`)).headers['x-request-id']).not.toBe(bad)
    }
  })

  test('headers that come one byte at a time are cut off within seconds', async () => {
    const since = performance.now()
    const drops = [...'GET /api/health HTTP/1.1\r\nX-Slow: '].concat(Array.from('x'.repeat(200)))
    expectProblem(await send(drops, { everyMs: 50 }), 408, 'REQUEST_TIMEOUT')
    expect(performance.now() - since).toBeLessThan(9_000)
  })

  const limits = [
    ['/api/auth/admin/token', 4 * 1024],
    ['/api/auth/sso/logout', 16 * 1024],
    ['/api/auth/validate', 4 * 1024],
    ['/api/inbound-webhooks/reports/submit', 1024 * 1024],
  ] as const
  const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`

  describe.each(limits)('a body for %s', (path, limit) => {
    const head = post(path)
    const next = 'GET /api/health/live HTTP/1.1\r\nHost: x\r\n\r\n'

    test.each([
      ['that announces more than its limit', `${head}Content-Length: ${limit + 1}\r\n\r\n{`],
      [
        'of more than its limit in chunks',
        `${head}Transfer-Encoding: chunked\r\n\r\n${limit.toString(16)}\r\n${' '.repeat(limit)}\r\n1\r\n{\r\n0\r\n\r\n${next}`,
      ],
    ])('%s is 413, and the connection ends', async (_, bytes) => {
      const reply = await send(bytes)
      expectProblem(reply, 413, 'PAYLOAD_TOO_LARGE')
      expect(reply.headers['connection']).toBe('close')
      expect(reply.text.match(/HTTP\/1\.1 /g)).toHaveLength(1)
    })

    test('whose sender hangs up is no failure', async () => {
      const { port } = new URL(world.url)
      const socket = connect(Number(port), '127.0.0.1')
      socket.write(`${head}Content-Length: 100\r\n\r\n{`, () => socket.destroy())
      await once(socket, 'close')
      expect((await call(world.url, 'GET', '/api/health')).status).toBe(200)
    })
  })

  test('a body that does not come is cut off within seconds, and others are served meanwhile', async () => {
    const since = performance.now()
    const waiting = limits.map(([path]) =>
      send(`${post(path)}Content-Length: 100\r\n\r\n{`, { giveUpAfterMs: 20_000 }),
    )
    expect((await call(world.url, 'GET', '/api/health')).status).toBe(200)
    for (const reply of await Promise.all(waiting)) expectProblem(reply, 408, 'REQUEST_TIMEOUT')
    expect(performance.now() - since).toBeLessThan(15_000)
  })

  test('a body that comes in pieces is read whole', async () => {
    const body = JSON.stringify({ token: session.token })
    const head = `${post('/api/auth/validate')}X-API-Key: ${project.key}\r\nConnection: close\r\n`
    const pieces = [`${head}Content-Length: ${body.length}\r\n\r\n`, body.slice(0, 9), body.slice(9)]
    expect((await send(pieces, { everyMs: 30 })).status).toBe(200)
  })

  test('any bytes at all are answered or hung up on, never with a 5xx, and the next request is served', async () => {
    const good = `GET /api/health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
    const mutated = fc
      .tuple(fc.nat(good.length), fc.nat(3), fc.string({ unit: 'binary-ascii', maxLength: 6 }))
      .map(([at, cut, text]) => good.slice(0, at) + text + good.slice(at + cut))
    await fc.assert(
      fc.asyncProperty(mutated, async (bytes) => {
        // Appends an end that the parser recognizes, because the mutation may have left anything open.
        const { status } = await send(`${bytes}\r\n\r\nX\r\n\r\n`)
        expect(status).toBeLessThan(500)
      }),
      { numRuns: 150 },
    )
    expect((await call(world.url, 'GET', '/api/health/live')).status).toBe(200)
  })
})
