import express from 'express'
import session from 'express-session'
import passport from 'passport'
import { Strategy } from 'passport-openidconnect'

// A site with passport. Its profile has no roles: the site reads them with the access token, each time.
const { port, issuer, clientId, clientSecret } = JSON.parse(process.argv[2] ?? '{}')

passport.use(
  new Strategy(
    {
      issuer,
      authorizationURL: `${issuer}/oidc/auth`,
      tokenURL: `${issuer}/oidc/token`,
      userInfoURL: `${issuer}/oidc/me`,
      clientID: clientId,
      clientSecret,
      callbackURL: `http://127.0.0.1:${port}/callback`,
      scope: 'profile email roles',
    },
    (_issuer, profile, _context, _idToken, accessToken, _refreshToken, done) =>
      done(null, { name: profile.displayName, accessToken }),
  ),
)
passport.serializeUser((user, done) => done(null, user))
passport.deserializeUser((user, done) => done(null, user))

const app = express()
app.use(session({ secret: 'nothing-much', resave: false, saveUninitialized: false }))
app.use(passport.authenticate('session'))
app.get('/login', passport.authenticate('openidconnect'))
app.get('/callback', passport.authenticate('openidconnect', { successRedirect: '/', failureMessage: true }))
app.get('/me', async ({ user }, answer) => {
  const now =
    user && (await fetch(`${issuer}/oidc/me`, { headers: { authorization: `Bearer ${user.accessToken}` } }))
  if (now?.ok) answer.json({ name: user.name, ...(await now.json()) })
  else answer.status(401).json({})
})
app.get('/', (_asked, answer) => answer.send('A page of the site'))
app.listen(port, '127.0.0.1', () => process.send?.('ready'))
