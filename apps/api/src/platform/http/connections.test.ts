import { once } from 'node:events'
import { Agent, request as ask, get, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { ciEngines } from '../../../test/databases.ts'
import { givenProject, givenSession } from '../../../test/given.ts'
import { startWorld, type World } from '../../../test/service.ts'
import { Front } from './front.ts'
import { createLifecycle } from './lifecycle.ts'
import { createBodyReader } from './read-bytes.ts'
import { createRequestIds } from './request-id.ts'
import { createServer } from './server.ts'

test('beyond the cap connections are turned away, which is one line in the log; near it answers ask to close', async () => {
  const lines: unknown[] = []
  const app = createServer(
    { publicUrl: 'http://localhost', trustProxy: [], maxConnections: 10 },
    {
      lifecycle: createLifecycle(),
      log: { warn: (line: unknown) => lines.push(line) },
      front: new Front(createBodyReader()),
      requestId: createRequestIds(),
    },
  )
  app.get('/', (_, reply) => reply.send('here'))
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const port = Number(new URL(url).port)
  const open: Socket[] = []
  const ends: Promise<unknown>[] = []
  const add = async () => {
    const arrived = once(app.server, 'connection')
    open.push(connect(port, '127.0.0.1'))
    const [socket] = (await arrived) as [Socket]
    ends.push(once(socket, 'close'))
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const connection = async () => {
    const [answer] = (await once(get(url, { agent }), 'response')) as [IncomingMessage]
    answer.resume()
    await once(answer, 'end')
    return answer.headers.connection
  }
  for (let i = 0; i < 7; i++) await add()
  expect(await connection()).toBe('keep-alive')
  await add()
  expect(await connection()).toBe('close')
  await add()
  await add()
  expect(lines).toEqual([])

  for (let i = 0; i < 3; i++) {
    const turnedAway = connect(port, '127.0.0.1')
    await once(
      turnedAway.on('error', () => {}),
      'close',
    )
  }
  expect(lines).toHaveLength(1)

  for (const socket of open) socket.destroy()
  await Promise.all(ends)
  // They are closed here; the server notices it later.
  await expect.poll(connection).toBe('keep-alive')
  agent.destroy()
  await app.close()
})

let world: World | undefined
afterEach(() => world?.close())

test.each(ciEngines)(
  'near the cap every answer asks to close, the shortest way too, on %s',
  async (engine) => {
    world = await startWorld(engine, { MAX_CONNECTIONS: '10' })
    const project = await givenProject(world)
    const { token } = await givenSession(world, project)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { url } = world
    const connection = async (method: string, path: string, body?: object) => {
      const headers = { 'x-api-key': project.key, 'content-type': 'application/json' }
      const sent = ask(`${url}${path}`, { method, agent, headers })
      sent.end(body && JSON.stringify(body))
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      answer.resume()
      await once(answer, 'end')
      return [answer.statusCode, answer.headers.connection]
    }
    expect(await connection('POST', '/api/auth/validate', { token })).toEqual([200, 'keep-alive'])
    const { port } = new URL(url)
    const idle = Array.from({ length: 8 }, () => connect(Number(port), '127.0.0.1'))
    await Promise.all(idle.map((socket) => once(socket, 'connect')))
    // Until the service has accepted them all, it may respond otherwise; from then on it never does.
    const isAsked = async () => (await connection('POST', '/api/auth/validate', { token }))[1]
    await expect.poll(isAsked).toBe('close')
    expect(await connection('POST', '/api/auth/validate', { token })).toEqual([200, 'close'])
    expect(await connection('POST', '/api/auth/validate', {})).toEqual([400, 'close'])
    expect(await connection('GET', '/api/health')).toEqual([200, 'close'])
    for (const socket of idle) socket.destroy()
    agent.destroy()
  },
)

test('a connection whose request was not finished in time is gone soon, also when its client never closes', async () => {
  const app = createServer(
    { publicUrl: 'http://localhost', trustProxy: [], maxConnections: 10 },
    {
      lifecycle: createLifecycle(),
      log: { warn() {} },
      front: new Front(createBodyReader()),
      requestId: createRequestIds(),
    },
  )
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  try {
    client.write('G')
    const [said] = await once(client, 'data')
    expect(String(said)).toContain('408 Request Timeout')
    const open = () =>
      new Promise((resolve) => app.server.getConnections((_, connections) => resolve(connections)))
    await expect.poll(open, { timeout: 10_000 }).toBe(0)
  } finally {
    client.destroy()
    await app.close()
  }
}, 40_000)
