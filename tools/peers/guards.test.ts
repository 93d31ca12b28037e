import * as forExpress from '@rolecall/sdk/express'
import * as forHono from '@rolecall/sdk/hono'
import express from 'express'
import { Hono } from 'hono'
import { describeGuards, givenGuarded, listen, options, rules } from '../../packages/sdk/test/guard-table.ts'

describeGuards(givenGuarded(), {
  Express: (given) => {
    const { rolecall, broken } = given
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
    return listen(app, given)
  },
  Hono: async ({ rolecall, broken }) => {
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
})
