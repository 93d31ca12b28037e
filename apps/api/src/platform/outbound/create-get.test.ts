import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createGet } from './create-get.ts'
import type { Reach } from './reach.ts'

const closing: Server[] = []
afterEach(async () => {
  for (const server of closing.splice(0)) {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  }
})

/** Two addresses of this machine stand for a public and a private one. */
const [publicOne, privateOne] = ['127.0.0.2', '127.0.0.1']

async function start(answer: RequestListener, host = publicOne) {
  const server = createServer(answer)
  server.listen(0, host)
  await once(server, 'listening')
  closing.push(server)
  return (server.address() as AddressInfo).port
}

/** Reads from a host with these addresses. */
const read = (port: number, addresses: readonly string[], waitMs?: number, more: Partial<Reach> = {}) => {
  const reach: Reach = {
    ...{ allowPrivate: false, allowLoopbackHosts: false, isPublic: (address) => address === publicOne },
    resolve: async () => addresses.map((address) => ({ address, family: 4 })),
    ...more,
  }
  return createGet(reach, waitMs)(new URL(`http://tools.example:${port}/document`))
}

describe('reading a document of a stranger', () => {
  test('returns the whole response', async () => {
    const port = await start((request, response) =>
      response.writeHead(404, { 'x-path': request.url }).end('gone'),
    )
    const { status, headers, body } = await read(port, [publicOne])
    expect([status, headers['x-path'], body.toString()]).toEqual([404, '/document', 'gone'])
  })

  test('connects to no private address, however it is named', async () => {
    let requests = 0
    const port = await start((_, response) => {
      requests += 1
      response.end()
    }, privateOne)
    await expect(read(port, [privateOne])).rejects.toThrow('no public address')
    await expect(read(port, [])).rejects.toThrow('could not be resolved')
    const get = createGet({ allowPrivate: false, allowLoopbackHosts: false, resolve: async () => [] })
    for (const host of ['127.0.0.1', '[::1]', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]'])
      await expect(get(new URL(`http://${host}:${port}/`))).rejects.toThrow('not public')
    expect(requests).toBe(0)
  })

  test('follows no redirect', async () => {
    const port = await start((_, response) => response.writeHead(302, { location: '/other' }).end())
    expect((await read(port, [publicOne])).status).toBe(302)
  })

  test('stops at 16 KiB, also if the response has no end', async () => {
    const port = await start((_, response) => {
      const more = () => {
        if (!response.destroyed) response.write(' '.repeat(4_096), more)
      }
      more()
    })
    await expect(read(port, [publicOne])).rejects.toThrow('longer than 16 KiB')
  })

  test.each<[string, RequestListener]>([
    ['no head', () => {}],
    ['a body without end', (_, response) => void response.writeHead(200).write('{')],
  ])('gives up on %s', async (_, answer) => {
    const port = await start(answer)
    await expect(read(port, [publicOne], 50)).rejects.toThrow('No response within 0.05 s.')
  })

  test('reports a connection that breaks off', async () => {
    const port = await start((_, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy())
    })
    await expect(read(port, [publicOne])).rejects.toThrow('could not be reached')
  })
})
