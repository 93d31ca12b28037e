import { sessionOf } from '@rolecall/sdk/express'
import express from 'express'
import { rolecall } from './rolecall.js'

const captain = '1100094049760706562'

const app = express()
app.use(rolecall.middleware())

app.get('/', async (request, response) => {
  const session = await rolecall.currentSession(request)
  response.send(
    page('Harbour notice board', session ? greeting(session) : '<a href="/auth/login">Sign in</a>'),
  )
})

// A page for every member of the Discord server.
app.get('/members', rolecall.requireMember(), (request, response) => {
  const { member, roles } = sessionOf(request)
  const held = roles.map(({ roleName }) => `<li>${escaped(roleName)}</li>`).join('')
  response.send(page('Members', `<p>You are ${escaped(member.username)}. Your roles:</p><ul>${held}</ul>`))
})

// A page for members who have the role at this moment.
app.get('/captains', rolecall.requireMember({ anyOf: [captain] }), (request, response) => {
  response.send(
    page('Captains', `<p>Welcome to the bridge, ${escaped(sessionOf(request).member.username)}.</p>`),
  )
})

// An endpoint for programs. Without access, they receive 401 or 403 instead of a page.
app.get('/api/me', rolecall.requireMember(), (request, response) => {
  const { member, roles } = sessionOf(request)
  response.json({ username: member.username, roles: roles.map(({ roleName }) => roleName) })
})

const port = Number(process.env.PORT ?? 8080)
app.listen(port, '127.0.0.1', (error) => {
  if (error) throw error
  console.log(`http://127.0.0.1:${port}`)
})

const greeting = ({ member }) =>
  `<p>Hello ${escaped(member.username)}</p>
<p><a href="/members">Members</a> <a href="/captains">Captains</a> <a href="/api/me">API</a></p>
<form method="post" action="/auth/logout"><button>Sign out</button></form>`

const page = (title, body) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${body}</html>`

// Escapes a name, because members can choose any text as their name.
const escaped = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
