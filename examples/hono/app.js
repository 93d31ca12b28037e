import { serve } from '@hono/node-server'
import { sessionOf } from '@rolecall/sdk/hono'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { rolecall } from './rolecall.js'

const captain = '1100094049760706562'

const app = new Hono()
app.use(rolecall.middleware())

app.get('/', async (c) => {
  const session = await rolecall.currentSession(c)
  return c.html(
    page('Harbour notice board', session ? greeting(session) : html`<a href="/auth/login">Sign in</a>`),
  )
})

// A page for every member of the Discord server.
app.get('/members', rolecall.requireMember(), (c) => {
  const { member, roles } = sessionOf(c)
  const held = roles.map(({ roleName }) => html`<li>${roleName}</li>`)
  return c.html(page('Members', html`<p>You are ${member.username}. Your roles:</p><ul>${held}</ul>`))
})

// A page for members who have the role at this moment.
app.get('/captains', rolecall.requireMember({ anyOf: [captain] }), (c) =>
  c.html(page('Captains', html`<p>Welcome to the bridge, ${sessionOf(c).member.username}.</p>`)),
)

// An endpoint for programs. Without access, they receive 401 or 403 instead of a page.
app.get('/api/me', rolecall.requireMember(), (c) => {
  const { member, roles } = sessionOf(c)
  return c.json({ username: member.username, roles: roles.map(({ roleName }) => roleName) })
})

const port = Number(process.env.PORT ?? 8080)
serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, () => console.log(`http://127.0.0.1:${port}`))

const greeting = ({ member }) => html`<p>Hello ${member.username}</p>
<p><a href="/members">Members</a> <a href="/captains">Captains</a> <a href="/api/me">API</a></p>
<form method="post" action="/auth/logout"><button>Sign out</button></form>`

const page = (title, body) =>
  html`<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${body}</html>`
