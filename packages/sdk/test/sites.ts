import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { demo } from '@rolecall/chat-sim'
import Fastify from 'fastify'
import * as forFastify from '../src/fastify.ts'
import * as forFetch from '../src/fetch.ts'
import { sendToNode } from '../src/site/node.ts'
import type { SiteOptions } from '../src/site/settings.ts'

export interface RunningSite {
  close(): Promise<void>
}

/** Starts the small site on a port. */
export type StartSite = (options: SiteOptions, port: number) => Promise<RunningSite>

/** The rules that admit captains and crew. */
export const crewRules = { anyOf: [demo.roles.captain, demo.roles.crew] }

/**
 * The same small site with each adapter. The sites for frameworks that the workspace does not install are in
 * tools/peers.
 *
 * - `GET /` returns the name of the signed-in member, or `nobody`.
 * - `GET /crew` is a page for the crew, and `GET` and `POST /api/crew` are endpoints for the crew.
 * - `GET /public` may be cached, and sets a cookie of its own.
 * - `POST /leave` ends the session.
 */
export const sites: Readonly<Record<string, StartSite>> = {
  async fetch(options, port) {
    const rolecall = forFetch.createRolecall(options)
    return listenFetch(port, (request) =>
      rolecall.handle(request, async ({ method, url }, visitor) => {
        const { pathname } = new URL(url)
        if (pathname === '/')
          return new Response((await visitor.currentSession())?.member.username ?? 'nobody')
        if (pathname === '/crew' || pathname === '/api/crew') {
          return new Response((await visitor.requireMember(crewRules)).member.username)
        }
        if (pathname === '/public') return publicAnswer()
        if (pathname === '/leave' && method === 'POST') {
          await visitor.signOut()
          return Response.redirect(new URL('/', url), 303)
        }
        return new Response(null, { status: 404 })
      }),
    )
  },

  async Fastify(options, port) {
    const rolecall = forFastify.createRolecall(options)
    const app = Fastify()
    await app.register(rolecall.plugin)
    app.get('/', async (request) => (await rolecall.currentSession(request))?.member.username ?? 'nobody')
    const onRequest = rolecall.requireMember(crewRules)
    for (const path of ['/crew', '/api/crew']) {
      app.all(path, { onRequest }, async (request) => forFastify.sessionOf(request).member.username)
    }
    app.get('/public', async (_request, reply) =>
      reply
        .headers({ 'cache-control': 'public, max-age=3600', 'set-cookie': 'theirs=1; Path=/' })
        .send('for all'),
    )
    app.post('/leave', async (request, reply) => {
      await rolecall.signOut(request)
      return reply.redirect('/', 303)
    })
    await app.listen({ port, host: '127.0.0.1' })
    return { close: () => app.close() }
  },
}

export const publicAnswer = () =>
  new Response('for all', {
    headers: { 'cache-control': 'public, max-age=3600', 'set-cookie': 'theirs=1; Path=/' },
  })

export async function listenNode(port: number, listener: RequestListener): Promise<RunningSite> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Serves a handler from `Request` to `Response`, like Bun, Deno, and workers do. */
export function listenFetch(port: number, answer: (request: Request) => Response | Promise<Response>) {
  return listenNode(port, async (incoming, outgoing) => {
    await sendToNode(await answer(requestOf(incoming, outgoing, port)), outgoing)
  })
}

function requestOf(incoming: IncomingMessage, outgoing: ServerResponse, port: number): Request {
  const { method = 'GET', url = '/' } = incoming
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value))
  const controller = new AbortController()
  outgoing.once('close', () => controller.abort())
  const hasBody = method !== 'GET' && method !== 'HEAD'
  // Uses another host than the browser, as Next.js and others do, to test that the host of the request is ignored.
  return new Request(`http://localhost:${port}${url}`, {
    method,
    headers,
    signal: controller.signal,
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' as const }),
  })
}
