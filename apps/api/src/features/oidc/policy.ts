import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import { shownPath } from '#platform/http/shown-path'
import type { BrowserLogin, LoginProblem } from './browser-login.ts'
import { LoginRefused } from './login-refused.ts'
import { OidcRequest } from './oidc-request.ts'
import { type ResourceDeps, siteOf } from './sites.ts'
import { orProtocolError, Unavailable } from './unavailable.ts'

type PolicyDeps = ResourceDeps & { readonly login: Pick<BrowserLogin, 'use' | 'find'> }

/**
 * Creates the policy of the steps between a request and its code: a sign-in, single sign-on that the platform confirms as
 * in any other sign-in, and consent.
 */
export function createPolicy(deps: PolicyDeps): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base()
  // Consent is requested once for a project, regardless of the kind of client.
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

async function mustLogIn(ctx: KoaContextWithOIDC, { login, ...deps }: PolicyDeps): Promise<boolean> {
  const { client, result, session, params } = ctx.oidc
  if (!client) return false
  const { req } = ctx
  if (!(req instanceof OidcRequest)) return true
  const { projectId, serverId } = await siteOf(deps, client, params?.['resource'])
  if (result?.login || result?.consent) {
    // The result is valid only in the browser that signed in, and only until that sign-in is ended.
    const wanted = result.login?.accountId ?? session?.accountId
    const known = await orProtocolError(login.find(req.headers.cookie, projectId))
    return known === undefined || known.memberId !== wanted
  }
  const used = await orProtocolError(
    login.use(req.headers.cookie, {
      ...{ projectId, serverId, path: shownPath(ctx.path), client: req.client },
    }),
  )
  if (!used) return true
  if ('problem' in used) throw refusalOf(used.problem)
  for (const cookie of used.cookies) ctx.append('set-cookie', cookie)
  return false
}

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
