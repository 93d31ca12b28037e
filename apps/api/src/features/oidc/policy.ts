import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import { shownPath } from '#platform/http/shown-path'
import type { BrowserLogin, LoginProblem } from './browser-login.ts'
import { LoginRefused } from './login-refused.ts'
import { OidcRequest } from './oidc-request.ts'
import { type ResourceDeps, siteOf } from './sites.ts'
import { orProtocolError, Unavailable } from './unavailable.ts'
import { noteSso } from './used-sso.ts'

type PolicyDeps = ResourceDeps & { readonly login: Pick<BrowserLogin, 'use' | 'find'> }

/**
 * Creates the library's policy: which steps a person has to take before the client gets a code. Adds a check to the
 * library's own ones: single sign-on counts only if Discord confirms the membership now, as in every sign-in.
 */
export function createPolicy(deps: PolicyDeps): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base()
  // Without this, a native app would have to ask for consent at each sign-in.
  policy.get('consent')?.checks.remove('native_client_prompt')
  policy.add(
    new interactionPolicy.Prompt(
      { name: 'sso' },
      new interactionPolicy.Check(
        'sso_over',
        'End-User authentication is required',
        'login_required',
        (ctx) => mustLogIn(ctx, deps),
      ),
    ),
    1,
  )
  return policy
}

/**
 * Returns true if the person has to sign in at Discord. Otherwise uses the single sign-on of the browser.
 *
 * @throws the refusal, if Discord or a block refuses the member
 */
async function mustLogIn(ctx: KoaContextWithOIDC, { login, ...deps }: PolicyDeps): Promise<boolean> {
  const { client, result, session, params } = ctx.oidc
  if (!client) return false
  const { req } = ctx
  if (!(req instanceof OidcRequest)) return true
  const { projectId, serverId } = await siteOf(deps, client, params?.['resource'])
  if (result?.login || result?.consent) {
    // The person has just signed in or consented. The result is valid only in the browser that is signed in as the same
    // member, so a link to this step is worthless in another browser.
    const wanted = result.login?.accountId ?? session?.accountId
    const known = await orProtocolError(login.find(req.headers.cookie, projectId))
    if (known === undefined || known.memberId !== wanted) return true
    noteSso(known.id)
    return false
  }
  const used = await orProtocolError(
    login.use(req.headers.cookie, {
      ...{ projectId, serverId, path: shownPath(ctx.path), client: req.client },
    }),
  )
  if (!used) return true
  if ('problem' in used) throw refusalOf(used.problem)
  noteSso(used.id)
  for (const cookie of used.cookies) ctx.append('set-cookie', cookie)
  return false
}

/** Converts a refused sign-in to an error of the library. */
function refusalOf(problem: LoginProblem): Error {
  const { error, description } = problem
  switch (error) {
    case 'access_denied':
      return new LoginRefused(problem)
    case 'login_required':
      return new errors.LoginRequired(description)
    default:
      return new Unavailable(description, undefined)
  }
}
