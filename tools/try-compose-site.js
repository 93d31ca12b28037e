import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, logIn } from './try-login.js'

// A site for tools/try-compose.js. Signs a member in, and validates the session until its standard input ends. Prints
// `logged in`, and at the end the numbers of answered and lost requests. It is a separate program, because Node.js
// reads the trusted certificate authorities only at its start (NODE_EXTRA_CA_CERTS).

const site = JSON.parse(process.env['SITE'] ?? '')
const token = await logIn(site, site.member)
console.log('logged in')

let isOver = false
let answered = 0
/** @type {string[]} */
const lost = []
async function client() {
  while (!isOver) {
    try {
      const { status } = await ask(site, '/api/auth/validate', { token })
      if (status === 200) answered += 1
      else lost.push(String(status))
    } catch (error) {
      lost.push(String(error instanceof Error ? (error.cause ?? error) : error))
    }
    await sleep(20)
  }
}
const clients = Promise.all(Array.from({ length: 16 }, client))
await once(process.stdin.resume(), 'end')
isOver = true
await clients
console.log(JSON.stringify({ answered, lost }))
