import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '#platform/db/sql'
import { mainEngines } from '../../../test/databases.ts'
import { givenProject, givenSession } from '../../../test/given.ts'
import { openConnection } from '../../../test/raw-connection.ts'
import { sendRaw } from '../../../test/raw-http.ts'
import { startWorld } from '../../../test/service.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { readPlainHead } from './plain-request.ts'

describe.each(mainEngines)('connections that ask nothing but what may be in memory, on %s', (engine) => {
  const world = worldForTests(engine)
  const project = projectForTests(world)
  let token: string
  beforeAll(async () => {
    token = (await givenSession(world, project)).token
  })

  const asking = (body: string, lines: readonly string[] = []) =>
    [
      'POST /api/auth/validate HTTP/1.1',
      'Host: x',
      `X-API-Key: ${project.key}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body, 'latin1')}`,
      ...lines,
      '',
      body,
    ].join('\r\n')
  const known = () => asking(`{"token":"${token}"}`)
  const unknown = () => asking(`{"token":"rcs_${'a'.repeat(49)}"}`)
  const health = 'GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n'
  const statuses = (text: string) =>
    [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status))
  /** Removes the parts that differ each time. */
  const plain = (text: string) =>
    text
      .replace(/x-request-id: \S+/i, '')
      .replace(/"requestId":"[^"]+"/, '')
      .replace(/Date: [^\r]+/i, '')

  test('what memory has, what it has not and what it cannot have are answered in turn on one connection', async () => {
    const connection = await openConnection(world.url)
    for (let i = 0; i < 3; i++) {
      expect(statuses(await connection.ask(known()))).toEqual([200])
      expect(statuses(await connection.ask(unknown()))).toEqual([401])
    }
    expect(statuses(await connection.ask(health))).toEqual([200])
    expect(statuses(await connection.ask(known()))).toEqual([200])
    expect(statuses(await connection.ask(unknown()))).toEqual([401])
    connection.socket.destroy()
  })

  test('an answer is the same, byte for byte, as that of a connection that Node.js reads', async () => {
    const ours = await openConnection(world.url)
    const nodes = await openConnection(world.url)
    await nodes.ask(health)
    const accented = '{"token":"é"}'
    const inUtf8 = Buffer.from(accented).toString('latin1')
    await world.service.deps.db.execute(sql`update members set global_name = 'Zoë 漢字 😀'`)
    for (const asked of [known(), known(), unknown(), asking('{}'), asking(inUtf8), asking(accented)])
      expect(plain(await ours.ask(asked))).toBe(plain(await nodes.ask(asked)))
    expect(await ours.ask(known())).toContain('Zoë 漢字 😀')
    ours.socket.destroy()
    nodes.socket.destroy()
  })

  test('requests that come together are all answered, in their order', async () => {
    const connection = await openConnection(world.url)
    expect(statuses(await connection.ask(known()))).toEqual([200])
    const together = [unknown(), known(), health, known(), unknown()].join('')
    expect(statuses(await connection.ask(together, 5))).toEqual([401, 200, 200, 200, 401])
    connection.socket.destroy()
  })

  test('what comes while a request is answered waits for its turn', async () => {
    const connection = await openConnection(world.url)
    connection.socket.write(unknown())
    await new Promise(setImmediate)
    expect(statuses(await connection.ask(known() + health, 3))).toEqual([401, 200, 200])
    connection.socket.destroy()
  })

  test('a last answer ends its connection, also that of a client that never ends its side', async () => {
    const own = await startWorld(engine)
    const { answers } = own.service.deps
    const read = answers.read.bind(answers)
    // The answer is still being made when the service begins to stop.
    Object.assign(answers, { read: (item: Parameters<typeof read>[0]) => sleep(300).then(() => read(item)) })
    const { hostname, port } = new URL(own.url)
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
    await once(socket, 'connect')
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.write(unknown())
    await sleep(100)
    const since = performance.now()
    await own.close()
    // Without an end it would wait until the rest is cut off, after a minute.
    expect(performance.now() - since).toBeLessThan(20_000)
    expect(statuses(text)).toEqual([401])
    expect(text).toMatch(/connection: close/i)
    socket.destroy()
  })

  test('wherever a request is cut, its answer is the same', async () => {
    const whole = known()
    const connection = await openConnection(world.url)
    const expected = plain(await connection.ask(whole))
    connection.socket.destroy()
    for (let at = 1; at < whole.length; at += 7) {
      const cut = await openConnection(world.url)
      cut.socket.setNoDelay()
      cut.socket.write(whole.slice(0, at))
      await sleep(1)
      expect(plain(await cut.ask(whole.slice(at))), `cut at ${at}`).toBe(expected)
      cut.socket.destroy()
    }
  })

  test('the rest of a body is waited for, even if its first part is a whole body of its own', async () => {
    const connection = await openConnection(world.url)
    await connection.ask(known())
    const padded = asking(`{"token":"${token}"}  `)
    connection.socket.write(padded.slice(0, -2))
    await sleep(20)
    expect(statuses(await connection.ask('  '))).toEqual([200])
    expect(statuses(await connection.ask(known()))).toEqual([200])
    connection.socket.destroy()
  })

  test('a client that takes no answers is not answered for ever', async () => {
    const { hostname, port } = new URL(world.url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    const many = known().repeat(50)
    let sent = 0
    // Writes until the service stops reading, so that this side cannot write.
    while (sent < 200_000 && socket.writableLength < 1_000_000) {
      socket.write(many)
      sent += 50
      await new Promise(setImmediate)
    }
    expect(socket.writableLength).toBeGreaterThanOrEqual(1_000_000)
    socket.destroy()
    expect((await sendRaw(world.url, asking(`{"token":"${token}"}`, ['Connection: close']))).status).toBe(200)
  })

  test.each(['known', 'unknown'])(
    'a client that sends its end behind a question is answered as where Node.js reads it: %s',
    async (kind) => {
      const outcome = async (isNodes: boolean) => {
        const connection = await openConnection(world.url)
        if (isNodes) await connection.ask(health)
        let text = ''
        connection.socket.on('data', (chunk) => {
          text += chunk
        })
        const closed = once(connection.socket, 'close')
        connection.socket.end(kind === 'known' ? known() : unknown())
        await closed
        return statuses(text)
      }
      const nodes = await outcome(true)
      expect([nodes, kind === 'known' ? [200] : nodes]).toContainEqual(await outcome(false))
    },
  )

  test('a client that hangs up during its response harms no other client', async () => {
    for (let i = 0; i < 20; i++) {
      const { socket } = await openConnection(world.url)
      socket.write(i % 2 ? unknown() : known())
      if (i % 3) socket.resetAndDestroy()
      else socket.end()
    }
    const connection = await openConnection(world.url)
    expect(statuses(await connection.ask(known()))).toEqual([200])
    connection.socket.destroy()
  })

  test('any changed request gets the same response as from Node.js', async () => {
    const base = known()
    const bytes = fc.oneof(
      fc.constantFrom(
        '\r\n',
        '\n',
        '\r',
        ' ',
        '\t',
        ':',
        '\0',
        '\x7f',
        '\xe9',
        'X-A: 1\r\n',
        'Host: y\r\n',
        '0',
        ',',
      ),
      fc.constantFrom(
        'Content-Length: 0\r\n',
        'Content-Length: +65\r\n',
        'Transfer-Encoding: chunked\r\n',
        'Connection: close\r\n',
        'Connection: Upgrade\r\nUpgrade: h2c\r\n',
        'Expect: 100-continue\r\n',
        '__proto__: a\r\n',
        'X-Request-Id: given-by-a-caller\r\n',
      ),
      fc.string({ minLength: 1, maxLength: 3 }),
    )
    const lineStarts = [...base.matchAll(/\r\n/g)].map(({ index }) => index + 2)
    const change = fc.record({
      at: fc.oneof(fc.constantFrom(...lineStarts), fc.nat(base.length)),
      drop: fc.constantFrom(0, 0, 0, 1, 2),
      insert: bytes,
    })
    const outcome = async (text: string, isNodes: boolean) => {
      // An earlier request that is not plain hands the connection to Node.js.
      const first = isNodes ? health : base
      const reply = await sendRaw(world.url, [first, text, ''], { everyMs: 15, giveUpAfterMs: 300 }).catch(
        () => undefined,
      )
      return reply ? [statuses(reply.text), reply.text.includes('connection: close')] : 'stays open'
    }
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 2 }), async (changes) => {
        let text = base
        for (const { at, drop, insert } of changes) text = text.slice(0, at) + insert + text.slice(at + drop)
        const [ours, nodes] = await Promise.all([outcome(text, false), outcome(text, true)])
        expect(ours).toEqual(nodes)
      }),
      { numRuns: Number(process.env['FC_RUNS'] ?? 40) },
    )
  })
})

test('a connection on which nothing was asked is told so in time, and one that asked may wait longer', async () => {
  const world = await startWorld('pglite')
  try {
    const project = await givenProject(world)
    const { token } = await givenSession(world, project)
    const body = `{"token":"${token}"}`
    const asked = `POST /api/auth/validate HTTP/1.1\r\nHost: x\r\nX-API-Key: ${project.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const used = await openConnection(world.url)
    expect(await used.ask(asked)).toContain('200 OK')
    const reply = await sendRaw(world.url, '')
    expect(reply.status).toBe(408)
    expect(JSON.parse(reply.body)).toMatchObject({ code: 'REQUEST_TIMEOUT' })
    expect(await used.ask(asked)).toContain('200 OK')
    used.socket.destroy()
  } finally {
    await world.close()
  }
}, 30_000)

describe('a plain head', () => {
  const head = (...lines: string[]) => ['POST /a HTTP/1.1', 'Host: x', ...lines].join('\r\n')
  test('is a method, a target, headers that come once, and the length of the body', () => {
    expect(readPlainHead(head('Content-Length: 12', 'X-A:  b c\t'))).toEqual({
      target: 'POST /a',
      headers: Object.assign(Object.create(null), { host: 'x', 'content-length': '12', 'x-a': 'b c' }),
      bodyBytes: 12,
    })
    expect(readPlainHead('GET /a?b=c HTTP/1.1\r\nhost: x')?.bodyBytes).toBe(0)
  })
  test('has each header under its name in lower case, however the name is written', () => {
    const names = [
      'User-Agent',
      'X-API-Key',
      'Cookie',
      'X-Forwarded-Uri',
      'X-Forwarded-Host',
      'Origin',
      'X-A',
    ]
    const odd = ['Constructor', '__proto__', 'hasOwnProperty', 'toString', '1', 'x'.repeat(300)]
    const spellings = [String, (name: string) => name.toLowerCase(), (name: string) => name.toUpperCase()]
    for (const spell of spellings) {
      const sent = [...names, ...odd].map((name, i) => [spell(name), `value ${i}`] as const)
      const text = sent.map(([name, value]) => `\r\n${name}: ${value}`).join('')
      const headers = readPlainHead(`GET /a HTTP/1.1\r\nHost: x${text}`)?.headers ?? {}
      const expected = sent.map(([name, value]) => [name.toLowerCase(), value] as const)
      expect(Object.entries(headers).toSorted()).toEqual([['host', 'x'] as const, ...expected].toSorted())
    }
    expect(readPlainHead('GET /a HTTP/1.1\r\nHost: x')?.headers).not.toHaveProperty('constructor')
  })
  test.each(['User-Agent', 'X-Forwarded-Host', 'Cookie', '__proto__', 'constructor'])(
    'does not have %s twice, in any spelling',
    (name) => {
      for (const again of [name, name.toLowerCase(), name.toUpperCase()])
        expect(readPlainHead(`GET /a HTTP/1.1\r\nHost: x\r\n${name}: 1\r\n${again}: 1`)).toBeUndefined()
    },
  )
  test.each(['', 'x', '\t x'])(
    'is refused at once, however many blanks stand in a line that is none: %j',
    (before) => {
      const startedAt = performance.now()
      expect(readPlainHead(head('Content-Length: 1', `A:${before}${' '.repeat(4_000)}\x80`))).toBeUndefined()
      // Shared out in every way they took ten seconds.
      expect(performance.now() - startedAt).toBeLessThan(1_000)
    },
  )
  test.each([
    ['another version', 'POST /a HTTP/1.0\r\nHost: x\r\nContent-Length: 1'],
    ['another method', 'PUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1'],
    ['a whole address', 'POST http://x/a HTTP/1.1\r\nHost: x\r\nContent-Length: 1'],
    ['no host', 'POST /a HTTP/1.1\r\nContent-Length: 1'],
    ['an empty host', 'POST /a HTTP/1.1\r\nHost: \r\nContent-Length: 1'],
    ['two hosts', head('Host: x', 'Content-Length: 1')],
    ['no length', head()],
    ['a length of zeros', head('Content-Length: 00')],
    ['a signed length', head('Content-Length: +1')],
    ['two lengths', head('Content-Length: 1', 'content-length: 1')],
    ['a list of lengths', head('Content-Length: 1, 1')],
    ['chunks', head('Content-Length: 1', 'Transfer-Encoding: chunked')],
    ['a folded line', head('Content-Length: 1', ' folded: yes')],
    ['a blank before the colon', head('Content-Length : 1')],
    ['a bare line feed', head('Content-Length: 1', 'X-A: b\nX-C: d')],
    ['a bare carriage return', head('Content-Length: 1', 'X-A: b\rX-C: d')],
    ['NUL', head('Content-Length: 1', 'X-A: \0')],
    ['a byte beyond ASCII', head('Content-Length: 1', 'X-A: é')],
    ['an expectation', head('Content-Length: 1', 'Expect: 100-continue')],
    ['an upgrade', head('Content-Length: 1', 'Upgrade: h2c')],
    ['a connection that ends', head('Content-Length: 1', 'Connection: close')],
    ['an empty line', head('Content-Length: 1', '')],
    ['a body of GET', 'GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: 1'],
  ])('has none of: %s', (_, text) => {
    expect(readPlainHead(text)).toBeUndefined()
  })
})
