import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createPost } from './create-post.ts'
import type { Reach } from './reach.ts'
import type { ResolveHost } from './resolve-host.ts'

const never = new AbortController().signal
const content = { headers: { 'content-type': 'application/json' }, body: '{}' }
const closing: Server[] = []
const sockets = new Set<Socket>()

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  for (const server of closing.splice(0)) {
    server.close()
    await once(server, 'close')
  }
})

const listen = async (server: Server, host: string, port = 0) => {
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  server.listen(port, host)
  await once(server, 'listening')
  closing.push(server)
  return (server.address() as AddressInfo).port
}
const startHttp = (answer: RequestListener, host = '127.0.0.1', port = 0) =>
  listen(createHttpServer(answer), host, port)

/** Two addresses of this machine stand for a public and a private one. */
const [publicOne, privateOne] = ['127.0.0.2', '127.0.0.1']
const reaching = (names: readonly (readonly string[])[], more: Partial<Reach> = {}) => {
  const asked: string[] = []
  const resolve: ResolveHost = async (hostname) => {
    const addresses = names[Math.min(asked.length, names.length - 1)] ?? []
    asked.push(hostname)
    return addresses.map((address) => ({ address, family: 4 }))
  }
  const post = createPost({
    allowPrivate: false,
    allowLoopbackHosts: false,
    isPublic: (address) => address === publicOne,
    resolve,
    ...more,
  })
  const send = (url: string, signal = never) => post(new URL(url), content, signal)
  return { asked, send }
}

describe('where a post goes', () => {
  test('a name that means another address a moment later is connected to where it was looked up', async () => {
    const hits = { public: 0, private: 0 }
    const port = await startHttp((_, response) => {
      hits.private += 1
      response.end()
    }, privateOne)
    await startHttp(
      (_, response) => {
        hits.public += 1
        response.writeHead(204, { connection: 'close' }).end()
      },
      publicOne,
      port,
    )
    const { asked, send } = reaching([[publicOne], [privateOne]])
    expect(await send(`http://rebinding.example:${port}/`)).toMatchObject({ status: 204 })
    expect([hits, asked]).toEqual([{ public: 1, private: 0 }, ['rebinding.example']])
    expect(await send(`http://rebinding.example:${port}/`)).toMatchObject({
      status: null,
      error: 'The host name has no public address.',
    })
    expect(hits).toEqual({ public: 1, private: 0 })
  })

  test('of several addresses only public ones are connected to', async () => {
    const port = await startHttp((_, response) => response.writeHead(204).end(), publicOne)
    const { send } = reaching([[privateOne, publicOne]])
    expect((await send(`http://mixed.example:${port}/`)).status).toBe(204)
  })

  test.each([
    ['decimal', 'http://2130706433:PORT/'],
    ['hexadecimal', 'http://0x7f000001:PORT/'],
    ['hexadecimal parts', 'http://0x7f.0x0.0x0.0x1:PORT/'],
    ['octal', 'http://017700000001:PORT/'],
    ['octal parts', 'http://0177.0.0.01:PORT/'],
    ['short', 'http://127.1:PORT/'],
    ['any', 'http://0.0.0.0:PORT/'],
    ['zero', 'http://0:PORT/'],
    ['full-width digits', 'http://１２７.0.0.1:PORT/'],
    ['percent-encoded', 'http://%31%32%37.0.0.1:PORT/'],
    ['IPv6 loopback', 'http://[::1]:PORT/'],
    ['IPv4-mapped', 'http://[::ffff:127.0.0.1]:PORT/'],
    ['NAT64', 'http://[64:ff9b::127.0.0.1]:PORT/'],
    ['6to4', 'http://[2002:7f00:1::]:PORT/'],
    ['localhost', 'http://localhost:PORT/'],
    ['localhost with a dot', 'http://localhost.:PORT/'],
    ['a name under localhost', 'http://x.localhost:PORT/'],
    ['a user before the host', 'http://public.example@127.0.0.1:PORT/'],
  ])('nothing reaches this machine by an address that is written in another way: %s', async (_, text) => {
    let hits = 0
    const port = await startHttp((_request, response) => {
      hits += 1
      response.end()
    })
    const { send } = reaching([[privateOne]])
    const answered = await send(text.replace('PORT', `${port}`))
    expect(answered.status).toBeNull()
    expect(answered.error).toMatch(/not public|no public address/)
    expect(hits).toBe(0)
  })

  test('loopback is reached where it is allowed, by its literal name only', async () => {
    const port = await startHttp((_, response) => response.writeHead(204).end())
    const { send } = reaching([[privateOne]], { allowLoopbackHosts: true })
    expect((await send(`http://127.0.0.1:${port}/`)).status).toBe(204)
    expect((await send(`http://localhost:${port}/`)).status).toBe(204)
    expect((await send(`http://means-loopback.example:${port}/`)).status).toBeNull()
  })

  test('private addresses are reached where they are allowed', async () => {
    const port = await startHttp((_, response) => response.writeHead(204).end())
    const { send } = reaching([[privateOne]], { allowPrivate: true })
    expect((await send(`http://inside.example:${port}/`)).status).toBe(204)
  })

  test('a name that cannot be resolved is told as such', async () => {
    const { send } = reaching([[]])
    expect((await send('http://nowhere.example/')).error).toBe('The host name could not be resolved.')
  })
})

describe('what an answer may do', () => {
  const given = async (answer: RequestListener) => {
    const port = await startHttp(answer)
    const { send } = reaching([[privateOne]], { allowPrivate: true })
    return (signal?: AbortSignal) => send(`http://receiver.example:${port}/`, signal)
  }

  test('a redirect is a response, and is not followed', async () => {
    let hits = 0
    const send = await given((_, response) => {
      hits += 1
      response.writeHead(302, { location: '/elsewhere' }).end()
    })
    expect((await send()).status).toBe(302)
    expect(hits).toBe(1)
  })

  test('an answer without end counts by its status and is cut off', async () => {
    let written = 0
    const send = await given((_, response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && written < 64 * 1024 * 1024) {
          written += 4_096
          if (!response.write(Buffer.alloc(4_096))) return void response.once('drain', more)
        }
      }
      more()
    })
    expect((await send()).status).toBe(200)
    expect(written).toBeLessThan(64 * 1024 * 1024)
  })

  test('connections are used again, and one that was closed meanwhile costs nothing', async () => {
    let connections = 0
    const server = createHttpServer((_, response) => response.writeHead(204).end())
    server.on('connection', () => {
      connections += 1
    })
    const port = await listen(server, '127.0.0.1')
    const { send } = reaching([[privateOne]], { allowPrivate: true })
    for (let i = 0; i < 3; i++) expect((await send(`http://receiver.example:${port}/`)).status).toBe(204)
    expect(connections).toBe(1)
    for (const socket of sockets) socket.destroy()
    expect((await send(`http://receiver.example:${port}/`)).status).toBe(204)
  })

  test.each([
    ['a head that is none', 'no head at all\r\n\r\n'],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['nothing', ''],
    ['a head beyond every bound', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(200_000)}\r\n\r\n`],
  ])('%s is no answer', async (_, text) => {
    const server = createTcpServer((socket) => {
      socket.on('data', () => socket.end(text))
    })
    const port = await listen(server, '127.0.0.1')
    const { send } = reaching([[privateOne]], { allowPrivate: true })
    const answered = await send(`http://receiver.example:${port}/`)
    expect(answered).toMatchObject({ status: null, isAborted: false })
    expect(answered.error).toMatch(/^The receiver could not be reached/)
  })

  test('who hangs up is told so at once', async () => {
    const hangUp = new AbortController()
    const send = await given(() => hangUp.abort())
    expect(await send(hangUp.signal)).toMatchObject({ status: null, isAborted: true })
  })

  test('no answer within ten seconds is none', async () => {
    const send = await given(() => {})
    const answered = await send()
    expect(answered.error).toBe('No response within 10 s.')
    expect(answered.tookMs).toBeGreaterThan(9_500)
  })
})
