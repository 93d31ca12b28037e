import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../../../test/client.ts'
import { mainEngines } from '../../../test/databases.ts'
import { givenSession } from '../../../test/given.ts'
import { sendRaw } from '../../../test/raw-http.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { createApp } from '../../app.ts'
import { readerLines } from '../../cli/doctor/fast-reader.ts'
import { chooseInternals, problemOfInternals } from './check-internals.ts'
import { closeServer } from './close-server.ts'
import { createLifecycle } from './lifecycle.ts'
import { documentedParts, type NodeInternals, nodeInternals } from './node-internals.ts'

const { takeConnections, writeHead, readOutput } = nodeInternals

/** Private parts that another version of Node.js might have, each with the cause that the check reports. */
const broken: readonly (readonly [string, Partial<NodeInternals>, RegExp])[] = [
  [
    'has other listeners for connections',
    { takeConnections: (server) => takeConnections?.(server.on('connection', () => {})) ?? (() => {}) },
    /has not one listener/,
  ],
  [
    'ends a connection that is handed over',
    {
      takeConnections: (server) => {
        takeConnections?.(server)
        return (connection) => void connection.end()
      },
    },
    /ended/,
  ],
  [
    'has no _storeHeader',
    {
      writeHead: (response, ...rest) => {
        Object.assign(response, { _storeHeader: undefined })
        writeHead(response, ...rest)
      },
    },
    /has no _storeHeader/,
  ],
  [
    'writes a stored head differently',
    {
      writeHead: (response, head, more) =>
        writeHead(response, { ...head, text: `${head.text}x-new: 1\r\n` }, more),
    },
    /answer 2 was .*x-new/,
  ],
  [
    'does not count the output',
    { readOutput: () => ({ accepted: Number.NaN, pending: Number.NaN }) },
    /NaN accepted/,
  ],
  [
    'counts bytes differently',
    { readOutput: (socket) => ({ ...readOutput(socket), accepted: 1 }) },
    /counts 1 accepted/,
  ],
]

test('the private parts of this version of Node.js pass their check', async () => {
  expect(await problemOfInternals(nodeInternals)).toBeUndefined()
  expect(await readerLines()).toEqual([])
})

test('a check that cannot listen reports that, and throws nothing', async () => {
  // No machine has this address, which is reserved for documentation.
  expect(await problemOfInternals(nodeInternals, '203.0.113.1')).toMatch(/EADDRNOTAVAIL/)
})

test.each(broken)(
  'a Node.js that %s is detected, and logged once with cause and fix',
  async (_, parts, cause) => {
    const lines: unknown[] = []
    const log = { warn: (...args: unknown[]) => void lines.push(args) }
    expect(await chooseInternals(log, { ...nodeInternals, ...parts })).toBe(documentedParts)
    expect(lines).toEqual([
      [
        {
          ...{ component: 'http', event: 'fast_reader_off', node: process.version },
          ...{ cause: expect.stringMatching(cause), fix: expect.stringContaining('Node.js 20, 22, or 24') },
        },
        expect.stringContaining('fast HTTP reader disabled'),
      ],
    ])
    const [line] = await readerLines({ ...nodeInternals, ...parts })
    expect(line).toEqual({ kind: 'note', text: expect.stringMatching(cause) })
  },
)

describe.each(mainEngines)('without private parts of Node.js, on %s', (engine) => {
  const world = worldForTests(engine)
  const project = projectForTests(world)
  let url: string
  let app: ReturnType<typeof createApp>
  const lifecycle = createLifecycle()
  beforeAll(async () => {
    const broken = { ...nodeInternals, readOutput: () => ({ accepted: 0, pending: 0 }) }
    const internals = await chooseInternals({ warn: () => {} }, broken)
    app = createApp(world.service.deps, world.service.recorder, lifecycle, { internals })
    url = await app.listen({ host: '127.0.0.1', port: 0 })
  })
  afterAll(async () => {
    // Closing also ends connections that never sent a request.
    expect(await closeServer(app, lifecycle, { drainMs: 0, deadlineMs: 10_000 })).toBe(false)
  })

  /** Removes the parts that differ from one response to the next. */
  const same = (text: string) =>
    text
      .replaceAll(/x-request-id: \S+/gi, '')
      .replaceAll(/"requestId":"[^"]+"/g, '')
      .replaceAll(/Date: [^\r]+/gi, '')
      .replaceAll(/(x-)?ratelimit-[\w-]+: \d+/gi, '')
      .replaceAll(/"(uptimeSec|version)":[^,}]+/g, '')

  test('every response is the same as with private parts, byte for byte', async () => {
    const { token } = await givenSession(world, project)
    const validate = (asked: string, more = '') => {
      const body = `{"token":"${asked}"}`
      return `POST /api/auth/validate HTTP/1.1\r\nHost: x\r\nX-API-Key: ${project.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`
    }
    const close = 'Connection: close\r\n'
    const get = (target: string, more = close) => `GET ${target} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
    const forwarded = `X-Forwarded-Proto: https\r\nX-Forwarded-Host: site.example\r\nX-Forwarded-Uri: /page\r\n`
    const requests = {
      memory: validate(token, close),
      database: validate(`rcs_${'a'.repeat(49)}`, close),
      forwardAuth: get('/api/forward-auth', `${forwarded}${close}`),
      health: get('/api/health/live'),
      document: get('/api/openapi.json'),
      lost: get('/none'),
      refused: 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n',
      none: 'no request at all\r\n\r\n',
      pipelined: [validate(token), get('/api/health/live', ''), validate(token, close)].join(''),
      thenNone: `${validate(token)}no request at all\r\n\r\n`,
    }
    for (const [name, sent] of Object.entries(requests)) {
      const [theirs, ours] = [await sendRaw(url, sent), await sendRaw(world.url, sent)]
      expect(theirs.status, name).toBeGreaterThan(0)
      expect(same(theirs.text), name).toBe(same(ours.text))
    }
  })

  test('a connection stays open for the next request, which reports the changed session', async () => {
    const { token } = await givenSession(world, project)
    const ask = () => call(url, 'POST', '/api/auth/validate', { key: project.key, body: { token } })
    expect((await ask()).status).toBe(200)
    await call(url, 'POST', '/api/auth/logout', { key: project.key, body: { token } })
    expect((await ask()).status).toBe(401)
  })
})
