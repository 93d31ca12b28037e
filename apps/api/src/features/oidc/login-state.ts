import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC, Session } from 'oidc-provider'
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
    if (resumeRoutes.includes(route) && (await isOfAnother(provider, ctx, session)))
      session.accountId = undefined
    return session
  }
  Object.defineProperty(Session, 'get', { value: get })
}

const resumeRoutes = ['resume', 'device_resume']

/**
 * True where the login that goes on is of another member than the one who is signed in by now. The library would end the
 * session by a page that sends itself off with a script. Without an account the policy asks for a new login.
 */
async function isOfAnother(provider: Provider, ctx: Parameters<GetSession>[0], { accountId }: Session) {
  const id = provider
    .createContext(ctx.req, ctx.res)
    .cookies.get(provider.cookieName('resume'), { signed: true })
  const interaction = id && accountId ? await provider.Interaction.find(id) : undefined
  const login = interaction?.result?.login
  return login !== undefined && login.accountId !== accountId
}

/** Another member gets nothing of what the one before had in this browser. */
function become(session: Session, memberId: string | undefined, loginTs: number | undefined) {
  if (session.accountId !== memberId) session.authorizations = {}
  session.accountId = memberId
  session.loginTs = loginTs
  // A session that is new is only stored when something is in it.
  if (memberId !== undefined) Object.defineProperty(session, 'touched', { value: true, writable: true })
}
