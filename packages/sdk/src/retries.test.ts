import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Rolecall, RolecallError } from '@rolecall/sdk'
import { afterEach, describe, expect, test } from 'vitest'

/** Has the form of a session token: for other values the client sends no request. */
const anyToken = `rcs_${'a'.repeat(49)}`

/** A service that fails on command, and counts the requests that it receives. */
interface Failing {
  readonly url: string
  readonly asked: string[]
  close(): Promise<void>
}

type Fail = (reply: ServerResponse, request: IncomingMessage) => unknown

const drop: Fail = (_reply, request) => request.socket.destroy()
const refuse =
  (status: number, code: string, retryAfter?: string): Fail =>
  (reply) =>
    reply
      .writeHead(status, {
        'content-type': 'application/problem+json',
        ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
      })
      .end(JSON.stringify({ code, detail: 'No.', requestId: 'r' }))
const badGateway: Fail = (reply) => reply.writeHead(502, { 'content-type': 'text/html' }).end('<h1>502</h1>')

const answer = {
  success: true,
  member: {},
  roles: [],
  session: {},
  sessions: [],
  data: [],
  nextCursor: null,
  id: 'x',
  receivedAt: 'now',
}

const open: Failing[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

/** Starts a service that fails once in each given way, then succeeds. */
async function startFailing(...ways: Fail[]): Promise<Failing> {
  const asked: string[] = []
  const server = createServer((request, reply) => {
    request.resume().on('end', () => {
      asked.push(`${request.method} ${request.url}`)
      const fail = ways[asked.length - 1]
      if (fail) fail(reply, request)
      else reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const failing = {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    asked,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  open.push(failing)
  return failing
}

const clientOf = ({ url }: Failing, more = {}) => new Rolecall({ baseUrl: url, apiKey: 'rck_x', ...more })
const codeOf = (run: Promise<unknown>) =>
  run.then(
    () => 'answered',
    (error: unknown) => (error instanceof RolecallError ? error.code : String(error)),
  )

/** Calls that are safe to repeat. */
const safe: Record<string, (client: Rolecall) => Promise<unknown>> = {
  validate: (client) => client.validate(anyToken),
  logout: (client) => client.logout('t'),
  logoutAll: (client) => client.logoutAll('m'),
  sessions: (client) => client.sessions('t'),
  members: (client) => client.members('s').next(),
  memberChanges: (client) => client.memberChanges('s', '1-0'),
  member: (client) => client.member('s', 'm'),
  checkPermissions: (client) => client.checkPermissions('s', { memberId: 'm' }),
  checkManyPermissions: (client) => client.checkManyPermissions('s', { memberIds: ['m'] }),
  'webhooks.list': (client) => client.webhooks.list(),
  'webhooks.get': (client) => client.webhooks.get('w'),
  'webhooks.submissions': (client) => client.webhooks.submissions('t', 'w').next(),
  'webhooks.submit with its key': (client) => client.webhooks.submit('w', {}, { idempotencyKey: 'k' }),
}

/** Calls that a retry would repeat: the code is used, the pair is rotated, or a second object is created. */
const unsafe: Record<string, (client: Rolecall) => Promise<unknown>> = {
  exchange: (client) => client.exchange({ clientId: 'c', code: 'c', redirectUri: 'r' }),
  refresh: (client) => client.refresh({ token: 't', refreshToken: 'r' }),
  revokeSession: (client) => client.revokeSession('t', 's'),
  revokeAllSessions: (client) => client.revokeAllSessions('t'),
  'webhooks.submit': (client) => client.webhooks.submit('w', {}),
  'webhooks.create': (client) => client.webhooks.create({ name: 'n', schema: {} }),
  'webhooks.update': (client) => client.webhooks.update('w', {}),
  'webhooks.rotateSecret': (client) => client.webhooks.rotateSecret('w'),
  'webhooks.delete': (client) => client.webhooks.delete('w'),
}

describe('a call that came to nothing', () => {
  test.each(Object.entries(safe))('is sent again where it is safe: %s', async (_, run) => {
    const failing = await startFailing(drop, badGateway)
    expect(await codeOf(run(clientOf(failing)))).toBe('answered')
    expect(failing.asked).toHaveLength(3)
    expect(new Set(failing.asked).size).toBe(1)
  })

  test.each(Object.entries(unsafe))('is sent once where it is not: %s', async (_, run) => {
    const failing = await startFailing(drop, badGateway)
    expect(await codeOf(run(clientOf(failing)))).toBe('NETWORK_ERROR')
    expect(failing.asked).toHaveLength(1)
  })

  test('is sent again twice at most, or as often as the client was told', async () => {
    const ways = Array.from({ length: 9 }, () => badGateway)
    for (const [options, times] of [
      [{}, 3],
      [{ retries: 0 }, 1],
      [{ retries: 1 }, 2],
    ] as const) {
      const failing = await startFailing(...ways)
      expect(await codeOf(clientOf(failing, options).validate(anyToken))).toBe('UNEXPECTED_RESPONSE')
      expect(failing.asked).toHaveLength(times)
    }
  })

  test('waits for as long as Retry-After says, and not at all for longer than anyone would', async () => {
    const soon = await startFailing(refuse(503, 'DATABASE_UNAVAILABLE', '1'))
    const from = performance.now()
    expect(await codeOf(clientOf(soon).validate(anyToken))).toBe('answered')
    expect(performance.now() - from).toBeGreaterThanOrEqual(1_000)
    const dated = await startFailing(refuse(429, 'RATE_LIMITED', new Date(Date.now() + 30_000).toUTCString()))
    const error = await clientOf(dated)
      .validate(anyToken)
      .catch((reason) => reason)
    expect(error.retryAfterSec).toBeGreaterThan(20)
    expect(dated.asked).toHaveLength(1)
    const late = await startFailing(refuse(429, 'RATE_LIMITED', '30'))
    expect(await codeOf(clientOf(late).validate(anyToken))).toBe('RATE_LIMITED')
    expect(late.asked).toHaveLength(1)
  })

  test('is not sent again when it was refused: the same is refused again', async () => {
    for (const [status, code] of [
      [401, 'INVALID_API_KEY'],
      [400, 'UNKNOWN_PROJECT'],
      [500, 'SECRET_UNREADABLE'],
    ] as const) {
      const failing = await startFailing(refuse(status, code))
      expect(await codeOf(clientOf(failing).sessions('t'))).toBe(code)
      expect(failing.asked).toHaveLength(1)
    }
  })

  test('ends with the reason of its last try when there is no time for another, and with the caller’s own', async () => {
    const ways = Array.from({ length: 9 }, () => refuse(503, 'SERVICE_OVERLOADED', '1'))
    const failing = await startFailing(...ways)
    expect(await codeOf(clientOf(failing, { timeoutMs: 300 }).validate(anyToken))).toBe('SERVICE_OVERLOADED')
    const abort = new AbortController()
    const call = clientOf(failing).validate(anyToken, { signal: abort.signal })
    await expect.poll(() => failing.asked.length, { interval: 5 }).toBe(2)
    abort.abort(new Error('the visitor left'))
    await expect(call).rejects.toThrow('the visitor left')
  })
})
