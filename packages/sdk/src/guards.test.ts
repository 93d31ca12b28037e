import { createServer, type RequestListener } from 'node:http'
import { demo } from '@rolecall/chat-sim'
import { Rolecall } from '@rolecall/sdk'
import * as forExpress from '@rolecall/sdk/express'
import * as forFastify from '@rolecall/sdk/fastify'
import * as forHono from '@rolecall/sdk/hono'
import * as forNext from '@rolecall/sdk/next'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { givenProject, givenSession } from '../../../apps/api/test/given.ts'
import { startWorld, type World } from '../../../apps/api/test/service.ts'
import { freePort } from '../../../tools/free-port.js'

const { roles, users } = demo
const rules = { anyOf: [roles.captain, roles.crew] }
const options = { onError: () => {} }
type Ask = (path: string, headers: Record<string, string>) => Promise<Response>

let world: World
let rolecall: Rolecall
let broken: Rolecall
let crew: string
let deckhand: string
beforeAll(async () => {
  world = await startWorld('pglite', { PERMISSION_TTL_MS: '3600000' })
  const project = await givenProject(world)
  rolecall = new Rolecall({ baseUrl: world.url, apiKey: project.key })
  broken = new Rolecall({ baseUrl: world.url, apiKey: 'rck_wrong' })
  crew = (await givenSession(world, project, users.ada)).token
  deckhand = (await givenSession(world, project, users.tomas)).token
})
const ends: (() => unknown)[] = []
afterAll(async () => {
  for (const end of ends) await end()
  await world.close()
})

async function listen(handle: RequestListener): Promise<Ask> {
  const server = createServer(handle)
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  ends.push(() => server.close())
  return (path, headers) => fetch(`http://127.0.0.1:${port}${path}`, { headers })
}

/** The same little site in each framework: the captain's and crew's page, everyone's page, and one by cookie. */
const sites: Record<string, () => Promise<Ask>> = {
  Express: () => {
    const { createGuard, sessionOf } = forExpress
    const app = express()
    const { requireMember } = createGuard(rolecall, options)
    app.get('/crew', requireMember(rules), (request, response) => {
      response.json(sessionOf(request).member)
    })
    app.get('/all', requireMember(), (request, response) => void response.json(sessionOf(request).member))
    const byCookie = createGuard(rolecall, { cookie: 'session', ...options })
    app.get('/cookie', byCookie.requireMember(), (request, response) => {
      response.json(sessionOf(request).member)
    })
    app.get('/broken', createGuard(broken, options).requireMember(), () => {})
    return listen(app)
  },
  Fastify: async () => {
    const { createGuard, sessionOf } = forFastify
    const app = Fastify()
    const { requireMember } = createGuard(rolecall, options)
    app.get('/crew', { onRequest: requireMember(rules) }, async (request) => sessionOf(request).member)
    app.get('/all', { preHandler: requireMember() }, async (request) => sessionOf(request).member)
    const byCookie = createGuard(rolecall, { cookie: 'session', ...options })
    app.get('/cookie', { onRequest: byCookie.requireMember() }, async (request) => sessionOf(request).member)
    app.get('/broken', { onRequest: createGuard(broken, options).requireMember() }, async () => 'never')
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    ends.push(() => app.close())
    return (path, headers) => fetch(url + path, { headers })
  },
  Hono: async () => {
    const { createGuard, sessionOf } = forHono
    const app = new Hono()
    const { requireMember } = createGuard(rolecall, options)
    app.get('/crew', requireMember(rules), (context) => context.json(sessionOf(context).member))
    app.get('/all', requireMember(), (context) => context.json(sessionOf(context).member))
    const byCookie = createGuard(rolecall, { cookie: 'session', ...options })
    app.get('/cookie', byCookie.requireMember(), (context) => context.json(sessionOf(context).member))
    app.get('/broken', createGuard(broken, options).requireMember(), (context) => context.text('never'))
    return async (path, headers) => app.request(path, { headers })
  },
  // Route handlers of Next.js are functions from a Request to a Response: this is how it calls them.
  'Next.js': async () => {
    const { createGuard } = forNext
    const { requireMember } = createGuard(rolecall, options)
    const byCookie = createGuard(rolecall, { cookie: 'session', ...options })
    const handlers = new Map([
      ['/crew', requireMember(rules, (_request, _context, { member }) => Response.json(member))],
      ['/all', requireMember({}, (_request, _context, { member }) => Response.json(member))],
      ['/cookie', byCookie.requireMember({}, (_request, _context, { member }) => Response.json(member))],
      ['/broken', createGuard(broken, options).requireMember({}, () => new Response('never'))],
    ])
    return async (path, headers) => {
      const handler = handlers.get(path)
      if (!handler) throw new Error(path)
      return handler(new Request(`https://site.example${path}`, { headers }), { params: Promise.resolve({}) })
    }
  },
}

describe.each(Object.entries(sites))('requireMember() for %s', (_, start) => {
  let ask: Ask
  beforeAll(async () => {
    ask = await start()
  })
  const refused = async (path: string, headers: Record<string, string>) => {
    const answer = await ask(path, headers)
    expect(answer.headers.get('content-type')).toContain('application/problem+json')
    const { status, code } = (await answer.json()) as { status: number; code: string }
    expect(status).toBe(answer.status)
    return [status, code]
  }

  test('lets a member in who holds one of the roles, and hands over who it is', async () => {
    const answer = await ask('/crew', { authorization: `Bearer ${crew}` })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ id: users.ada, username: 'ada.osei' })
  })

  test('lets every member in where no role is asked for', async () => {
    const answer = await ask('/all', { authorization: `Bearer ${deckhand}` })
    expect(await answer.json()).toMatchObject({ id: users.tomas })
  })

  test('takes the token from a cookie, where told so', async () => {
    const answer = await ask('/cookie', { cookie: `other=1; session=${crew}` })
    expect(await answer.json()).toMatchObject({ id: users.ada })
    expect(await refused('/cookie', { authorization: `Bearer ${crew}` })).toEqual([401, 'LOGIN_REQUIRED'])
  })

  test('answers 403 without the role, and 401 without a live session', async () => {
    expect(await refused('/crew', { authorization: `Bearer ${deckhand}` })).toEqual([403, 'ROLE_REQUIRED'])
    for (const authorization of ['', 'Bearer', 'Bearer rcs_x', `Basic ${crew}`]) {
      expect(await refused('/crew', { authorization })).toEqual([401, 'LOGIN_REQUIRED'])
    }
  })

  test('answers 503 when it cannot know, never 401', async () => {
    const answer = await ask('/broken', { authorization: `Bearer ${crew}` })
    expect(answer.status).toBe(503)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await answer.json()).toMatchObject({ code: 'SESSION_CHECK_UNAVAILABLE' })
  })
})

test('a handler without a guard before it does not get a session by accident', () => {
  expect(() => forExpress.sessionOf({ headers: {} })).toThrow('requireMember()')
})

describe('rules that say something else than was meant', () => {
  const meant = {
    'a list alone': ['123'],
    'an id alone': '123',
    'a misspelt name': { anyof: ['123'] },
    null: { anyOf: null },
    'an environment that was not set': { anyOf: undefined },
    'no role at all': { allOf: [] },
    'an empty id': { anyOf: [''] },
  }
  test.each(Object.entries(meant))('let nobody in: %s', async (_, wrong) => {
    const decide = forExpress.createGuard(rolecall, options).requireMember(wrong as never)
    const app = express()
    app.get('/', decide, (_request, response) => void response.send('in'))
    app.use((_error: unknown, _request: unknown, response: express.Response, _next: unknown) => {
      response.status(500).send('mistake')
    })
    const ask = await listen(app)
    const reply = await ask('/', { authorization: `Bearer ${crew}` })
    expect([reply.status, await reply.text()]).toEqual([500, 'mistake'])
  })
})

test('what a visitor made up is not asked about', async () => {
  const asked: unknown[] = []
  const client = new Rolecall({
    baseUrl: world.url,
    apiKey: 'rck_any',
    fetch: async (...call) => {
      asked.push(call)
      throw new Error('asked')
    },
  })
  for (const token of ['x', '', 'rcs_short', `rcs_${'a'.repeat(50)}`, `rcr_${'a'.repeat(49)}`, `${crew}\n`])
    expect(await client.validate(token)).toBeUndefined()
  expect(asked).toEqual([])
  await expect(client.member('..', users.ada)).rejects.toThrow('serverId is no id.')
})
