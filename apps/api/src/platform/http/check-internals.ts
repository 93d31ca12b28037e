import { once } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import { connect, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Log } from '#platform/log'
import { documentedParts, type NodeInternals, nodeInternals } from './node-internals.ts'
import { readPlainConnections } from './plain-connections.ts'
import { responseOf } from './prepared-response.ts'
import { finishedText, keepAliveMs, prepareHead, sendFinished } from './send.ts'

/** The time limit of the check. It takes a few milliseconds, but may take longer on a busy machine. */
const checkMs = 5_000

/**
 * Checks the private parts of Node.js that the fast reader uses, and returns them if they work as expected. Otherwise
 * logs that once, and returns documented parts, with which `node:http` reads every connection. The service then works
 * the same, with fewer requests per second.
 */
export async function chooseInternals(
  log: Pick<Log, 'warn'>,
  internals: NodeInternals = nodeInternals,
): Promise<NodeInternals> {
  const cause = await problemOfInternals(internals)
  if (cause === undefined) return internals
  log.warn(
    { component: 'http', event: 'fast_reader_off', node: process.version, cause, fix },
    'fast HTTP reader disabled: not compatible with this version of Node.js',
  )
  return documentedParts
}

/** Tells operators what a failed check means, and what to do. */
export const fix = 'The service works, but more slowly. Run Node.js 20, 22, or 24, or update Rolecall.'

/**
 * Tests the private parts of Node.js with a temporary server and a connection on this machine, in a few milliseconds.
 *
 * @returns the first difference from the expected behavior, or undefined
 */
export async function problemOfInternals(
  internals: NodeInternals,
  host = '127.0.0.1',
): Promise<string | undefined> {
  const signal = AbortSignal.timeout(checkMs)
  let server: Server | undefined
  let client: Socket | undefined
  let thrown: unknown
  try {
    server = startServer(internals, (error) => {
      thrown ??= error
    })
    // Without `exclusive`, all workers would share this listener through their primary process.
    server.listen({ port: 0, host, exclusive: true })
    await once(server, 'listening', { signal })
    const address = server.address()
    client = connect(typeof address === 'object' && address ? address.port : 0, host)
    const [[served]] = await Promise.all([
      once(server, 'connection', { signal }),
      once(client, 'connect', { signal }),
    ])
    return await converse(client, served, internals, signal)
  } catch (error) {
    if (thrown) return messageOf(thrown)
    return signal.aborted ? `no answer within ${checkMs} ms` : messageOf(error)
  } finally {
    client?.destroy()
    server?.close()
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : 'unknown')

const body = 'ok'
const head = prepareHead(200, { 'content-type': 'text/plain' })
/**
 * Returns headers with the length of the body, as every response of the service has. Without a length, Node.js would
 * send the body in chunks.
 */
const moreOf = (way: string) => ['content-length', String(body.length), 'x-way', way]
const inMemory = 'GET /memory'
const plain = (target: string) => `${target} HTTP/1.1\r\nHost: check\r\n\r\n`

/**
 * The requests of the check, sent one after another on one connection. The header `x-way` of each response states how
 * it was produced, and must equal `way`.
 */
const exchanges: readonly { readonly sends: string; readonly way: string }[] = [
  { sends: plain(inMemory), way: 'memory' },
  // This request goes to Node.js. Afterwards, the fast reader continues on the same connection.
  { sends: plain('GET /other'), way: 'node' },
  { sends: plain(inMemory), way: 'memory' },
  // This request has a body, so Node.js takes over the connection from here on, starting with these bytes.
  { sends: 'PUT /other HTTP/1.1\r\nHost: check\r\nContent-Length: 2\r\n\r\n{}', way: 'node' },
  { sends: plain(inMemory), way: 'node' },
]

/**
 * Starts the server of the check. Errors in its callbacks go to `fail`, because they would end the process otherwise.
 */
function startServer(internals: NodeInternals, fail: (error: unknown) => void) {
  const orEnd = (connection: Duplex, run: () => void) => {
    try {
      run()
    } catch (error) {
      fail(error)
      connection.destroy()
    }
  }
  const takeConnections = (server: HttpServer) => {
    const accept = internals.takeConnections?.(server)
    if (!accept) throw new Error('connections use node:http')
    return (connection: Duplex) => orEnd(connection, () => accept(connection))
  }
  const server = createServer(
    { keepAliveTimeout: keepAliveMs, ServerResponse: responseOf(() => false, internals) },
    ({ socket }, response) => orEnd(socket, () => sendFinished(response, head, moreOf('node'), body)),
  )
  readPlainConnections(server, {
    front: {
      find: (target) =>
        target.startsWith('GET ')
          ? {
              params: {},
              bodyLimit: 0,
              respond: (_asked, _body, _params, write) => {
                if (target === inMemory) write(head, moreOf('memory'), body)
                return target === inMemory
              },
            }
          : undefined,
    },
    endsConnections: () => false,
    silentMs: checkMs,
    internals: { takeConnections },
  })
  return server
}

async function converse(client: Socket, served: Socket, internals: NodeInternals, signal: AbortSignal) {
  let received = 0
  for (const [i, { sends, way }] of exchanges.entries()) {
    client.write(sends)
    let text = ''
    while (!text.endsWith(`\r\n\r\n${body}`)) {
      const [chunk]: unknown[] = await Promise.race([
        once(client, 'data', { signal }),
        once(client, 'end', { signal }),
      ])
      if (chunk === undefined) throw new Error(`the connection ended before the response ${i + 1}`)
      text += String(chunk)
    }
    received += text.length
    const expected = finishedText(head, moreOf(way), body)
    if (withoutDate(text) !== withoutDate(expected)) return `answer ${i + 1} was ${JSON.stringify(text)}`
  }
  const { accepted, pending } = internals.readOutput(served)
  if (accepted !== received || pending !== 0)
    return `a connection with ${received} bytes of output counts ${accepted} accepted and ${pending} pending`
  return undefined
}

const withoutDate = (text: string) => text.replace(/Date: [^\r]+/, '')
