import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import * as client from 'openid-client'

// A site with openid-client. It stores the tokens, and calls userinfo each time.
const { port, issuer, clientId, clientSecret } = JSON.parse(process.argv[2] ?? '{}')
const site = `http://127.0.0.1:${port}`
const config = await client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
  // Allows plain HTTP, which the service uses in tests.
  execute: [client.allowInsecureRequests],
})
const visits = new Map()

const pages = {
  async '/login'() {
    const [id, verifier, state] = [randomUUID(), client.randomPKCECodeVerifier(), client.randomState()]
    visits.set(id, { verifier, state })
    const to = client.buildAuthorizationUrl(config, {
      redirect_uri: `${site}/callback`,
      scope: 'openid profile email roles',
      state,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    return { status: 303, headers: { location: to.href, 'set-cookie': `visit=${id}; HttpOnly; Path=/` } }
  },
  async '/callback'(visit, url) {
    visit.tokens = await client.authorizationCodeGrant(config, url, {
      pkceCodeVerifier: visit.verifier,
      expectedState: visit.state,
    })
    return { status: 303, headers: { location: '/' } }
  },
  async '/me'({ tokens } = {}) {
    if (!tokens) return { status: 401 }
    const { sub } = tokens.claims()
    return client.fetchUserInfo(config, tokens.access_token, sub).then(
      (me) => ({ status: 200, body: JSON.stringify(me) }),
      // An error without a status means that the service does not respond.
      ({ status = 503 }) => ({ status }),
    )
  },
  async '/logout'({ tokens }) {
    const to = client.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token,
      post_logout_redirect_uri: `${site}/goodbye`,
    })
    return { status: 303, headers: { location: to.href } }
  },
}

createServer(async (asked, answer) => {
  const url = new URL(asked.url ?? '/', site)
  const [, id] = /visit=([^;]+)/.exec(asked.headers.cookie ?? '') ?? []
  const page = pages[url.pathname] ?? (async () => ({ status: 200, body: 'A page of the site' }))
  const { status, headers, body } = await page(visits.get(id), url)
  answer.writeHead(status, headers).end(body)
}).listen(port, '127.0.0.1', () => process.send?.('ready'))
