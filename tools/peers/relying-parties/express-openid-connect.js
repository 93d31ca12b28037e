import express from 'express'
import connect from 'express-openid-connect'
import { MemoryStore } from 'express-session'

// A site with express-openid-connect. It keeps its own session, receives a logout token for each session that ends, and
// reads roles from the service.
const { port, issuer, clientId, clientSecret } = JSON.parse(process.argv[2] ?? '{}')

const app = express()
app.use(
  connect.auth({
    issuerBaseURL: issuer,
    baseURL: `http://127.0.0.1:${port}`,
    clientID: clientId,
    clientSecret,
    secret: 'thirty-two-bytes-of-nothing-much',
    authRequired: false,
    authorizationParams: { response_type: 'code', scope: 'openid profile email roles' },
    session: { store: new MemoryStore() },
    backchannelLogout: true,
  }),
)
app.get('/me', async ({ oidc }, answer) => {
  if (oidc.isAuthenticated()) answer.json(await oidc.fetchUserInfo())
  else answer.status(401).json({})
})
app.get('/', (_asked, answer) => answer.send('A page of the site'))
app.listen(port, '127.0.0.1', () => process.send?.('ready'))
