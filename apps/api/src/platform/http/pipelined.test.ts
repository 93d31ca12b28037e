import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { givenSession } from '../../../test/given.ts'
import { madeForTests } from '../../../test/made-for-tests.ts'
import { sendRaw } from '../../../test/raw-http.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'

/** A client takes the first answer on a connection for that of its first request. */
describe('what stands behind a good request on the same connection', () => {
  const world = worldForTests('pglite', { PERMISSION_TTL_MS: '3600000' })
  const project = projectForTests(world)
  const session = madeForTests(() => givenSession(world, project))

  const post = (path: string, body: object) => {
    const text = JSON.stringify(body)
    return [
      `POST ${path} HTTP/1.1`,
      'Host: x',
      `X-API-Key: ${project.key}`,
      'Content-Type: application/json',
      `Content-Length: ${text.length}`,
      '',
      text,
    ].join('\r\n')
  }
  const validate = () => post('/api/auth/validate', { token: session.token })
  const listSessions = () =>
    `GET /api/auth/sessions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${session.token}\r\n\r\n`
  /** Returns the statuses of all responses, in their order. */
  const statuses = (text: string) =>
    [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status))

  const garbage: readonly (readonly [string, string])[] = [
    ['no HTTP', 'hello\r\n\r\n'],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['an unknown method', 'FROB / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a bare CR in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: a\rb\r\n\r\n'],
    ['headers of more than 16 KB', `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ]

  test.each(garbage)('%s does not take the place of its answer', async (_, bytes) => {
    for (const good of [listSessions, validate, validate]) {
      const { text, status } = await sendRaw(world.url, good() + bytes)
      expect(status, text.slice(0, 300)).toBe(200)
      expect([[200], [200, 400], [200, 431]]).toContainEqual(statuses(text))
    }
  })

  test('is refused after all that was asked before', async () => {
    const { text } = await sendRaw(world.url, `${listSessions()}${validate()}${listSessions()}hello\r\n\r\n`)
    expect(statuses(text)).toEqual([200, 200, 200, 400])
  })

  test('a body that is broken is still refused at once, behind a good request too', async () => {
    const broken = 'POST /api/auth/token HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n\r\n'
    expect(statuses((await sendRaw(world.url, listSessions() + broken)).text)).toEqual([200, 400])
  })

  describe('an open stream of events', () => {
    const openStream = async () => {
      const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.on('error', () => {})
      socket.write(`GET /api/events HTTP/1.1\r\nHost: x\r\nX-API-Key: ${project.key}\r\n\r\n`)
      await expect.poll(() => text).toContain('retry: ')
      return { socket, text: () => text }
    }

    test.each([
      ...garbage,
      // Cut off when the time for its headers is over.
      ['half a request', 'GET /api/health HTTP/1.1\r\nX-Half: '] as const,
    ])('gets no other answer written into it: %s', async (_, bytes) => {
      const { socket, text } = await openStream()
      socket.write(bytes, 'latin1')
      await once(socket, 'close')
      expect(statuses(text())).toEqual([200])
      expect(text()).not.toMatch(/problem|BAD_REQUEST|REQUEST_TIMEOUT|HEADERS_TOO_LARGE/)
    })
  })
})
