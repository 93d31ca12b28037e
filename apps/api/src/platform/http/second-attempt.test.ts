import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openConnection } from '../../../test/raw-connection.ts'
import { type Found, Front } from './front.ts'
import { nodeInternals } from './node-internals.ts'
import { readPlainConnections } from './plain-connections.ts'
import { responseOf } from './prepared-response.ts'
import { createBodyReader } from './read-bytes.ts'
import { prepareHead, type WriteFinished } from './send.ts'

const head = prepareHead(200, { 'content-type': 'text/plain' })
const withLength = (body: string) => ['content-length', String(body.length)]
const waits = 'GET /waits HTTP/1.1\r\nHost: x\r\n\r\n'
const atOnce = 'GET /at-once HTTP/1.1\r\nHost: x\r\n\r\n'
/** Node.js reads the connection of a request with this header. */
const unusual = 'GET /at-once HTTP/1.1\r\nHost: x\r\nTE: trailers\r\n\r\n'

/** A server of which `/waits` answers at the second attempt, once `release` is called. */
describe('a request that is answered at its second attempt', () => {
  let server: Server
  let plain: ReturnType<typeof readPlainConnections>
  let url: string
  let attempts: number
  let hasAnswer: boolean
  let isEnding: boolean
  let release: () => void

  beforeEach(async () => {
    attempts = 0
    hasAnswer = true
    isEnding = false
    const until = new Promise<void>((resolve) => {
      release = resolve
    })
    const finish = (write: WriteFinished, body: string) => {
      write(head, withLength(body), body)
      return true
    }
    const waiting: Found['respond'] = (_request, _body, _params, write) => {
      attempts += 1
      if (attempts === 1) return until
      return hasAnswer && finish(write, 'from memory')
    }
    const front = new Front(createBodyReader())
    front.add('GET /waits', 0, waiting)
    front.add('GET /at-once', 0, (_request, _body, _params, write) => finish(write, 'at once'))
    const endsConnections = () => isEnding
    server = createServer(
      { ServerResponse: responseOf(endsConnections, nodeInternals) },
      (request, response) =>
        front.handle(request, response, () =>
          response.setHeader('content-length', 18).end('from the framework'),
        ),
    )
    plain = readPlainConnections(server, {
      ...{ front, endsConnections, silentMs: 5_000 },
      internals: nodeInternals,
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })

  const begun = () => vi.waitFor(() => expect(attempts).toBe(1))
  const bodies = (text: string) => [...text.matchAll(/\r\n\r\n([a-z ]+)/g)].map(([, body]) => body)

  describe.each(['this service', 'Node.js'])('on a connection that %s reads', (reader) => {
    const open = async () => {
      const connection = await openConnection(url)
      if (reader === 'Node.js') await connection.ask(unusual)
      return connection
    }

    test('is answered before the requests that come meanwhile', async () => {
      const { socket, ask } = await open()
      const answered = ask(waits, 3)
      await begun()
      socket.write(atOnce)
      socket.write(atOnce)
      await sleep(20)
      release()
      expect(bodies(await answered)).toEqual(['from memory', 'at once', 'at once'])
      expect(attempts).toBe(2)
      expect(bodies(await ask(atOnce))).toEqual(['at once'])
    })

    test('is passed to the framework if there is still no answer', async () => {
      hasAnswer = false
      const { ask } = await open()
      const answered = ask(waits)
      await begun()
      release()
      expect(bodies(await answered)).toEqual(['from the framework'])
      expect(bodies(await ask(atOnce))).toEqual(['at once'])
    })

    test('is not attempted again once its client has gone', async () => {
      const { socket } = await open()
      socket.write(waits)
      await begun()
      socket.resetAndDestroy()
      await sleep(50)
      release()
      await sleep(20)
      expect(attempts).toBe(1)
    })

    test('ends its connection if the server begins to stop meanwhile', async () => {
      const { socket, ask } = await open()
      const answered = ask(waits)
      await begun()
      isEnding = true
      // A request in progress is not cut off.
      plain.endUnused()
      release()
      const ended = once(socket, 'end')
      expect(await answered).toMatch(/connection: close/i)
      await ended
    })

    test('leaves a connection that the stop ends, because nothing is in progress on it', async () => {
      const { socket, ask } = await open()
      const answered = ask(waits)
      await begun()
      release()
      await answered
      await sleep(20)
      const closed = once(socket, 'close')
      if (reader === 'this service') plain.endUnused()
      else server.closeIdleConnections()
      await closed
    })
  })

  test('is not attempted again for a client that has ended its side', async () => {
    const { port } = server.address() as AddressInfo
    const socket: Socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const closed = once(socket, 'close')
    socket.resume().end(waits)
    await begun()
    await sleep(50)
    release()
    await closed
    expect(attempts).toBe(1)
  })
})
