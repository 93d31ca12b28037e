import { sessionOf } from '@rolecall/sdk/fastify'
import Fastify from 'fastify'
import { rolecall } from './rolecall.js'

const captain = '1100094049760706562'

const app = Fastify()
await app.register(rolecall.plugin)

app.get('/', async (request, reply) => {
  const session = await rolecall.currentSession(request)
  reply.type('text/html')
  return page('Harbour notice board', session ? greeting(session) : '<a href="/auth/login">Sign in</a>')
})

// A page for every member of the Discord server.
app.get('/members', { onRequest: rolecall.requireMember() }, async (request, reply) => {
  const { member, roles } = sessionOf(request)
  const held = roles.map(({ roleName }) => `<li>${escaped(roleName)}</li>`).join('')
  reply.type('text/html')
  return page('Members', `<p>You are ${escaped(member.username)}. Your roles:</p><ul>${held}</ul>`)
})

// A page for members who have the role at this moment.
app.get('/captains', { onRequest: rolecall.requireMember({ anyOf: [captain] }) }, async (request, reply) => {
  reply.type('text/html')
  return page('Captains', `<p>Welcome to the bridge, ${escaped(sessionOf(request).member.username)}.</p>`)
})

// An endpoint for programs. Without access, they receive 401 or 403 instead of a page.
app.get('/api/me', { onRequest: rolecall.requireMember() }, async (request) => {
  const { member, roles } = sessionOf(request)
  return { username: member.username, roles: roles.map(({ roleName }) => roleName) }
})

const greeting = ({ member }) =>
  `<p>Hello ${escaped(member.username)}</p>
<p><a href="/members">Members</a> <a href="/captains">Captains</a> <a href="/api/me">API</a></p>
<form method="post" action="/auth/logout"><button>Sign out</button></form>`

const page = (title, body) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${body}</html>`

// Escapes a name, because members can choose any text as their name.
const escaped = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const port = Number(process.env.PORT ?? 8080)
console.log(await app.listen({ port, host: '127.0.0.1' }))
