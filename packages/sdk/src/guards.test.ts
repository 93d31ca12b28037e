import { demo } from '@rolecall/chat-sim'
import { Rolecall } from '@rolecall/sdk'
import * as forExpress from '@rolecall/sdk/express'
import * as forFastify from '@rolecall/sdk/fastify'
import * as forNext from '@rolecall/sdk/next'
import Fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { describeGuards, givenGuarded, options, rules, type StartGuarded } from '../test/guard-table.ts'

const { users } = demo
const given = givenGuarded()

/** Tests frameworks that are installed with the workspace, or need no installation. The others are in tools/peers. */
const sites: Readonly<Record<string, StartGuarded>> = {
  Fastify: async (given) => {
    const { rolecall, broken } = given
    const { createGuard, sessionOf } = forFastify
    const app = Fastify()
    const { requireMember } = createGuard(rolecall, options)
    app.get('/crew', { onRequest: requireMember(rules) }, async (request) => sessionOf(request).member)
    app.get('/all', { preHandler: requireMember() }, async (request) => sessionOf(request).member)
    const byCookie = createGuard(rolecall, { cookie: 'session', ...options })
    app.get('/cookie', { onRequest: byCookie.requireMember() }, async (request) => sessionOf(request).member)
    app.get('/broken', { onRequest: createGuard(broken, options).requireMember() }, async () => 'never')
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    given.onEnd(() => app.close())
    return (path, headers) => fetch(url + path, { headers })
  },
  // Calls a handler as Next.js does: route handlers are functions from a Request to a Response.
  'Next.js': async ({ rolecall, broken }) => {
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

describeGuards(given, sites)

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
  test.each(Object.entries(meant))('let no member in: %s', async (_, wrong) => {
    const app = Fastify()
    const onRequest = forFastify.createGuard(given.rolecall, options).requireMember(wrong as never)
    app.get('/', { onRequest }, async () => 'in')
    app.setErrorHandler((_error, _request, reply) => reply.status(500).send('mistake'))
    const reply = await app.inject({ url: '/', headers: { authorization: `Bearer ${given.crew}` } })
    expect([reply.statusCode, reply.payload]).toEqual([500, 'mistake'])
  })
})

test('what a visitor made up is not asked about', async () => {
  const asked: unknown[] = []
  const client = new Rolecall({
    baseUrl: 'http://127.0.0.1:1',
    apiKey: 'rck_any',
    fetch: async (...call) => {
      asked.push(call)
      throw new Error('asked')
    },
  })
  for (const token of [
    'x',
    '',
    'rcs_short',
    `rcs_${'a'.repeat(50)}`,
    `rcr_${'a'.repeat(49)}`,
    `${given.crew}\n`,
  ])
    expect(await client.validate(token)).toBeUndefined()
  expect(asked).toEqual([])
  await expect(client.member('..', users.ada)).rejects.toThrow(TypeError('serverId is not a valid ID.'))
  expect(asked).toEqual([])
})
