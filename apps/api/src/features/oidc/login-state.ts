import type Provider from 'oidc-provider'
import { errors, type KoaContextWithOIDC, type Session } from 'oidc-provider'
import type { BrowserLogin } from './browser-login.ts'
import { orProtocolError } from './unavailable.ts'

/** No member has this id. */
const nobody = 'nobody'

type GetSession = typeof Provider.prototype.Session.get

/**
 * Who is logged in is what the single sign-on of the service says, and nothing else: whatever ends that ends this, and a
 * login at one site is one at all. The library's own session only carries what it needs between its steps.
 */
export function followSingleSignOn(provider: Provider, login: Pick<BrowserLogin, 'find'>): void {
  const { Session } = provider
  const stored: GetSession = Session.get.bind(Session)
  const get: GetSession = async (ctx) => {
    const session = await stored(ctx)
    const known = await orProtocolError(login.find(ctx.req.headers.cookie))
    become(session, known?.memberId, known && Math.floor(known.beganAt.getTime() / 1_000))
    // Without somebody the library logs out by a page that sends itself off with a script; ours asks nobody when no one is logged in.
    const { route = '' } = (ctx as Partial<KoaContextWithOIDC>).oidc ?? {}
    if (!known && route === 'end_session') session.accountId = nobody
    if (resumeRoutes.includes(route)) await prepareResume(provider, ctx as KoaContextWithOIDC, session)
    return session
  }
  Object.defineProperty(Session, 'get', { value: get })
}

const resumeRoutes = ['resume', 'device_resume']

/**
 * Checks what the library takes for granted where a request goes on after a login.
 *
 * - Another member may be signed in by now. The library would end their session by a page that sends itself off with a
 *   script. Without an account, the policy asks for a new login.
 * - The redirect URI may have been removed. Nothing is sent to an address that is not listed.
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

/** Another member gets nothing of what the one before had in this browser. */
function become(session: Session, memberId: string | undefined, loginTs: number | undefined) {
  if (session.accountId !== memberId) session.authorizations = {}
  session.accountId = memberId
  session.loginTs = loginTs
  // A session that is new is only stored when something is in it.
  if (memberId !== undefined) Object.defineProperty(session, 'touched', { value: true, writable: true })
}
