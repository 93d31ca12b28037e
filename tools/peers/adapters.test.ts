import * as forExpress from '@rolecall/sdk/express'
import * as forHono from '@rolecall/sdk/hono'
import * as forNuxt from '@rolecall/sdk/nuxt'
import express from 'express'
import {
  createApp,
  createRouter,
  defineEventHandler,
  sendRedirect,
  setResponseHeader,
  toNodeListener,
} from 'h3'
import { Hono } from 'hono'
import { describeSites } from '../../packages/sdk/test/adapter-table.ts'
import { crewRules, listenFetch, listenNode, publicAnswer } from '../../packages/sdk/test/sites.ts'

// Tests the small site of packages/sdk/test/sites.ts. Frameworks that need a build are in tools/sdk/stacks.test.ts.
describeSites({
  async Express(options, port) {
    const rolecall = forExpress.createRolecall(options)
    const app = express()
    app.use(rolecall.middleware())
    app.get('/', async (request, response) => {
      response.send((await rolecall.currentSession(request))?.member.username ?? 'nobody')
    })
    const crew = [rolecall.requireMember(crewRules)]
    app.all(['/crew', '/api/crew'], crew, (request: express.Request, response: express.Response) => {
      response.send(forExpress.sessionOf(request).member.username)
    })
    app.get('/public', (_request, response) => {
      response.set('cache-control', 'public, max-age=3600').cookie('theirs', '1').send('for all')
    })
    app.post('/leave', async (request, response) => {
      await rolecall.signOut(request)
      response.redirect(303, '/')
    })
    return listenNode(port, app)
  },

  async Hono(options, port) {
    const rolecall = forHono.createRolecall(options)
    const app = new Hono()
    app.use(rolecall.middleware())
    app.get('/', async (c) => c.text((await rolecall.currentSession(c))?.member.username ?? 'nobody'))
    for (const path of ['/crew', '/api/crew']) {
      app.all(path, rolecall.requireMember(crewRules), (c) => c.text(forHono.sessionOf(c).member.username))
    }
    app.get('/public', () => publicAnswer())
    app.post('/leave', async (c) => {
      await rolecall.signOut(c)
      return c.redirect('/', 303)
    })
    return listenFetch(port, (request) => app.fetch(request))
  },

  async 'h3 1 (Nuxt 4)'(options, port) {
    const rolecall = forNuxt.createRolecall(options)
    const app = createApp()
    app.use(defineEventHandler(rolecall.middleware))
    const router = createRouter()
    router.get(
      '/',
      defineEventHandler(
        async (event) => (await rolecall.currentSession(event))?.member.username ?? 'nobody',
      ),
    )
    const crew = rolecall.requireMember(crewRules, (_event, { member }) => member.username)
    for (const path of ['/crew', '/api/crew']) router.use(path, defineEventHandler(crew))
    router.get(
      '/public',
      defineEventHandler((event) => {
        setResponseHeader(event, 'cache-control', 'public, max-age=3600')
        setResponseHeader(event, 'set-cookie', 'theirs=1; Path=/')
        return 'for all'
      }),
    )
    router.post(
      '/leave',
      defineEventHandler(async (event) => {
        await rolecall.signOut(event)
        return sendRedirect(event, '/', 303)
      }),
    )
    app.use(router)
    return listenNode(port, toNodeListener(app))
  },
})
