import type Provider from 'oidc-provider'
import { errors, type KoaContextWithOIDC, type Session } from 'oidc-provider'
import type { BrowserLogin } from './browser-login.ts'
import { orProtocolError } from './unavailable.ts'

/** A placeholder for the account ID, which no member has. */
const noAccountId = 'nobody'

type GetSession = typeof Provider.prototype.Session.get

/**
 * Makes the library use the service's single sign-on, which alone decides which member is signed in. So a sign-in at
 * one site is valid at all sites, and when the single sign-on ends, the member is signed out here, too. The library's
 * own session only contains the values that the library needs between its steps.
 *
 * Replaces `Session.get` of the library, which has no option for this.
 */
export function followSingleSignOn(provider: Provider, login: Pick<BrowserLogin, 'find'>): void {
  const { Session } = provider
  const stored: GetSession = Session.get.bind(Session)
  const get: GetSession = async (ctx) => {
    const session = await stored(ctx)
    const known = await orProtocolError(login.find(ctx.req.headers.cookie))
    become(session, known?.memberId, known && Math.floor(known.beganAt.getTime() / 1_000))
    // Without an account, the library would sign out with a page that submits itself by a script. With a placeholder,
    // it calls `logoutAsked`, which asks nothing if no member is signed in.
    const { route = '' } = (ctx as Partial<KoaContextWithOIDC>).oidc ?? {}
    if (!known && route === 'end_session') session.accountId = noAccountId
    if (resumeRoutes.includes(route)) await prepareResume(provider, ctx as KoaContextWithOIDC, session)
    return session
  }
  Object.defineProperty(Session, 'get', { value: get })
}

/** The routes at which the library continues a request after a sign-in. */
const resumeRoutes = ['resume', 'device_resume']

/**
 * Checks what the library does not check when a request continues after a sign-in.
 *
 * - Another member may be signed in by now. The library would end their session, with a page that submits itself by a
 *   script. This removes the account from the session instead, so the policy requires a new sign-in.
 * - The redirect URI may have been removed. The library would send the response to it, or an error.
 *
 * @throws InvalidRedirectUri, which is shown as a page
 */
async function prepareResume(provider: Provider, ctx: KoaContextWithOIDC, session: Session) {
  const id = ctx.cookies.get(provider.cookieName('resume'), { signed: true })
  const interaction = id ? await provider.Interaction.find(id) : undefined
  if (!interaction) return
  const { params, result } = interaction
  if (result?.login && result.login.accountId !== session.accountId) session.accountId = undefined
  const client = await provider.Client.find(String(params['client_id']))
  const redirectUri = params['redirect_uri']
  if (!client || typeof redirectUri !== 'string' || client.redirectUriAllowed(redirectUri)) return
  ctx.oidc.entity('Client', client)
  Object.assign(ctx.oidc, { params })
  throw new errors.InvalidRedirectUri()
}

/** Sets the member of a session, and the time of the sign-in. A new member does not get the previous authorizations. */
function become(session: Session, memberId: string | undefined, loginTs: number | undefined) {
  if (session.accountId !== memberId) session.authorizations = {}
  session.accountId = memberId
  session.loginTs = loginTs
  // The library stores a new session only if it was touched.
  if (memberId !== undefined) Object.defineProperty(session, 'touched', { value: true, writable: true })
}
