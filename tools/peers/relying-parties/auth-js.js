import { createServer } from 'node:http'
import { Auth, skipCSRFCheck } from '@auth/core'

// A site with Auth.js. It stores only the identity of the user, and reads the user's current roles with the access
// token.
const { port, issuer, clientId, clientSecret } = JSON.parse(process.argv[2] ?? '{}')
const site = `http://127.0.0.1:${port}`
const config = {
  trustHost: true,
  basePath: '/auth',
  secret: 'thirty-two-bytes-of-nothing-much',
  // No CSRF check is needed, because only `/login` below starts a sign-in.
  skipCSRFCheck,
  providers: [
    {
      id: 'rolecall',
      name: 'Rolecall',
      type: 'oidc',
      issuer,
      clientId,
      clientSecret,
      checks: ['pkce', 'state', 'nonce'],
      authorization: { params: { scope: 'openid profile email roles' } },
    },
  ],
  callbacks: {
    jwt: ({ token, account }) => (account ? { ...token, accessToken: account.access_token } : token),
    session: ({ session, token }) => ({ ...session, accessToken: token.accessToken }),
  },
}

async function respond(asked, answer) {
  const { cookie = '' } = asked.headers
  const ask = (path, more = {}) => Auth(new Request(site + path, { ...more, headers: { cookie } }), config)
  const pathname = new URL(asked.url ?? '/', site).pathname
  if (pathname === '/me') {
    const { user, accessToken } = (await (await ask('/auth/session')).json()) ?? {}
    const now =
      accessToken &&
      (await fetch(`${issuer}/oidc/me`, { headers: { authorization: `Bearer ${accessToken}` } }))
    answer.writeHead(now?.ok ? 200 : 401, { 'content-type': 'application/json' })
    answer.end(now?.ok ? JSON.stringify({ name: user.name, ...(await now.json()) }) : '{}')
    return
  }
  if (pathname !== '/login' && !pathname.startsWith('/auth/')) {
    answer.end('A page of the site')
    return
  }
  const reply =
    pathname === '/login'
      ? await ask('/auth/signin/rolecall', { method: 'POST' })
      : await ask(asked.url ?? '/')
  answer.writeHead(reply.status, [...reply.headers].flat())
  answer.end(await reply.text())
}

// Every error means that the service does not respond.
createServer((asked, answer) => respond(asked, answer).catch(() => answer.writeHead(503).end())).listen(
  port,
  '127.0.0.1',
  () => process.send?.('ready'),
)
