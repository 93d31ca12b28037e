import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mainEngines } from '../../../test/databases.ts'
import { givenProject, givenSession } from '../../../test/given.ts'
import { projectForTests, worldForTests } from '../../../test/world-for-tests.ts'
import { createApp } from '../../app.ts'
import { sql } from '../db/sql.ts'
import { closeServer } from './close-server.ts'
import { createLifecycle } from './lifecycle.ts'
import { nodeInternals } from './node-internals.ts'
import { endStalledConnections } from './stalled-connections.ts'

const stalledMs = 400

/** Connects a client that reads nothing until the test resumes it. */
async function openSilent(url: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').pause()
  await once(socket, 'connect')
  let isClosed = false
  socket
    .on('error', () => {})
    .once('close', () => {
      isClosed = true
    })
  return { socket, isClosed: () => isClosed }
}

describe.each(mainEngines)('a client that reads nothing, on %s', (engine) => {
  const world = worldForTests(engine)
  const project = projectForTests(world)
  let token: string
  let url: string
  let app: ReturnType<typeof createApp>
  const lifecycle = createLifecycle()
  beforeAll(async () => {
    token = (await givenSession(world, project)).token
    app = createApp(world.service.deps, world.service.recorder, lifecycle, { stalledMs })
    url = await app.listen({ host: '127.0.0.1', port: 0 })
  })
  afterAll(() => closeServer(app, lifecycle, { drainMs: 0, deadlineMs: 10_000 }))

  const openConnections = () =>
    new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)))
  const validate = (asked: string) => {
    const body = `{"token":"${asked}"}`
    return `POST /api/auth/validate HTTP/1.1\r\nHost: x\r\nX-API-Key: ${project.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  }
  const get = (path: string, { key } = project) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`

  const pipelined: readonly (readonly [string, () => string])[] = [
    ['answers from memory', () => validate(token)],
    ['answers from the database', () => validate(`rcs_${'a'.repeat(49)}`)],
    ['answers through the framework', () => get('/api/health')],
    ['large documents', () => get('/api/openapi.json')],
  ]
  test.each(pipelined)(
    'loses its connection when it keeps asking for %s',
    async (_, request) => {
      const { socket, isClosed } = await openSilent(url)
      const requests = request().repeat(50)
      // Keeps sending until the connection ends: requests must not count as progress.
      while (!isClosed()) {
        if (socket.writableLength < 1_000_000) socket.write(requests)
        await new Promise(setImmediate)
      }
      await expect.poll(openConnections).toBe(0)
    },
    60_000,
  )

  test('loses an event stream only while events wait for it', async () => {
    // The requests of the other tests use up the rate limit of their project: its stream would be refused.
    const own = await givenProject(world)
    const { socket, isClosed } = await openSilent(url)
    socket.write(get('/api/events', own))
    await expect.poll(openConnections).toBe(1)
    // Nothing waits for the client, so the stream stays open for any time.
    await sleep(3 * stalledMs)
    expect(isClosed()).toBe(false)
    expect(await openConnections()).toBe(1)
    // 24 MB exceed the network buffers of a machine. Each part stays within the statement timeout.
    for (let part = 0; part < 12; part++)
      await world.service.deps.db.execute(sql`
        insert into outbox (project_id, type, data)
        select ${own.id}, 'member.roles_changed', jsonb_build_object('padding', repeat('x', 2000))
        from generate_series(1, 1000) n`)
    await expect.poll(openConnections, { timeout: 30_000 }).toBe(0)
    socket.destroy()
  }, 60_000)

  test('keeps its connection while it reads slowly', async () => {
    const { socket, isClosed } = await openSilent(url)
    const count = 60
    socket.write(get('/api/openapi.json').repeat(count))
    let answers = 0
    let tail = ''
    socket.on('data', (chunk: Buffer) => {
      const text = tail + chunk.toString('latin1')
      answers += text.split('HTTP/1.1 200').length - 1
      tail = text.slice(-11)
      socket.pause()
    })
    while (answers < count && !isClosed()) {
      await sleep(2)
      socket.resume()
    }
    expect(answers).toBe(count)
    expect(isClosed()).toBe(false)
    socket.destroy()
  }, 60_000)
})

test('one large write that the client takes slowly is progress', async () => {
  const size = 40_000_000
  const server = createServer((socket) => void socket.on('error', () => {}).write(Buffer.alloc(size)))
  // Long enough for a busy machine to let the client read, and shorter than the client takes for all of it.
  endStalledConnections(server, 1_000, nodeInternals)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address() as { port: number }
  const { socket } = await openSilent(`http://127.0.0.1:${address.port}`)
  let received = 0
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length
    socket.pause()
  })
  const startedAt = performance.now()
  while (received < size && !socket.destroyed) {
    await sleep(5)
    socket.resume()
  }
  expect(received).toBe(size)
  expect(performance.now() - startedAt).toBeGreaterThan(2_000)
  const gone = once(server, 'close')
  server.close()
  socket.destroy()
  await gone
})
