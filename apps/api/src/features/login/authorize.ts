import type { ErrorCode } from '@rolecall/contract'
import { ApiError } from '#platform/http/api-error'
import { parseUrl } from '#platform/parse-url'
import { firstFailed } from '../../checks/check.ts'
import type { Deps } from '../../deps.ts'
import { brandOf } from '../../pages/brand-of.ts'
import { unlistedUri } from '../../pages/unlisted-uri.ts'
import { type OpenedRequest, openAuthRequest } from './auth-request.ts'
import { authorizeChecks, isListed } from './checks.ts'
import { findLoginProject, type LoginProject } from './store.ts'

/** The query of `authorize`. */
export interface Authorize {
  readonly client_id: string
  readonly redirect_uri: string
  readonly server_id: string
  readonly state: string
  readonly code_challenge?: string | undefined
}

type LoginDeps = Pick<Deps, 'db' | 'chat' | 'config' | 'loginLimits'>

/**
 * Starts a sign-in to a project, always through Discord's screen: single sign-on is `ssoAuthorize`. `cookie` is the
 * value of `requestCookie`.
 */
export async function authorize(
  deps: LoginDeps,
  input: Authorize,
  cookie: string | undefined,
  address: string,
): Promise<OpenedRequest> {
  await checkAuthorize(deps, input)
  return openAuthRequest(deps, cookie, address, {
    projectId: input.client_id,
    serverId: input.server_id,
    redirectUri: input.redirect_uri,
    state: input.state,
    codeChallenge: input.code_challenge ?? null,
  })
}

/**
 * Checks the parameters of a sign-in to a project, in the order of `authorizeChecks`. Never redirects: an unverified
 * redirect URI could belong to an attacker (RFC 9700 §4.11). A refusal is thrown, and shown as a page.
 *
 * @throws UNKNOWN_PROJECT, PROJECT_INACTIVE_AT_LOGIN, REDIRECT_URI_NOT_ALLOWED, SERVER_NOT_ACCESSIBLE
 */
export async function checkAuthorize(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  input: Authorize,
): Promise<void> {
  const project = await findLoginProject(db, input.client_id, input.server_id)
  const failed = firstFailed(authorizeChecks, { project, redirectUri: input.redirect_uri })
  if (!failed) return
  throw project
    ? await createRefusal({ db, config }, project, failed.refusal, input)
    : new ApiError(failed.refusal)
}

/**
 * Checks that the redirect URI is still registered, before an error is sent to it. It may have been removed while the
 * browser was at Discord.
 *
 * @throws UNKNOWN_PROJECT, REDIRECT_URI_NOT_ALLOWED
 */
export async function checkStillListed(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  { projectId, serverId, redirectUri }: { projectId: string; serverId: string; redirectUri: string },
): Promise<void> {
  const project = await findLoginProject(db, projectId, serverId)
  if (!project) throw new ApiError('UNKNOWN_PROJECT')
  if (!isListed(project, redirectUri)) {
    const parameters = { server_id: serverId, redirect_uri: redirectUri }
    throw await createRefusal({ db, config }, project, 'REDIRECT_URI_NOT_ALLOWED', parameters)
  }
}

/** Builds the error, with the parts of its page: the site, its branding, and how to register the redirect URI. */
async function createRefusal(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  project: LoginProject,
  code: ErrorCode,
  { redirect_uri: redirectUri, server_id: serverId }: Pick<Authorize, 'redirect_uri' | 'server_id'>,
): Promise<ApiError> {
  return new ApiError(code, {
    ...{ projectId: project.id, site: describeSite(project, redirectUri) },
    // The page must not reveal a server that the project cannot use.
    brand: await brandOf(db, { projectId: project.id, ...(project.mayRead && { serverId }) }),
    ...(code === 'REDIRECT_URI_NOT_ALLOWED' && { unlisted: unlistedUri(config, project.id, redirectUri) }),
  })
}

/** Names the site on its error page. The page links only to the origin of the project's own redirect URI. */
function describeSite(project: LoginProject, redirectUri: string) {
  const { name } = project
  const url = isListed(project, redirectUri) ? parseUrl(redirectUri) : undefined
  if (!url) return { name }
  // A native app with a custom scheme has no page to link to.
  const { protocol, origin } = url
  return protocol === 'https:' || protocol === 'http:' ? { name, href: `${origin}/` } : { name }
}
