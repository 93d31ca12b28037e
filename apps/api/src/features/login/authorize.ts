import { ApiError } from '#platform/http/api-error'
import { parseUrl } from '#platform/parse-url'
import type { Deps } from '../../deps.ts'
import { firstFailed } from '../check.ts'
import { unlistedUri } from '../unlisted-uri.ts'
import { type OpenedRequest, openAuthRequest } from './auth-request.ts'
import { authorizeChecks, isListed } from './checks.ts'
import { findLoginProject, type LoginProject } from './store.ts'

export interface Authorize {
  readonly client_id: string
  readonly redirect_uri: string
  readonly server_id: string
  readonly state: string
  readonly code_challenge?: string | undefined
}

type LoginDeps = Pick<Deps, 'db' | 'chat' | 'config' | 'loginLimits'>

/** Starts a login: always by the platform's screen. */
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
 * The refusals of authorize, in the order of the specification. None of them redirects: until both project
 * and redirect URI are known to be good, the address could be anyone's (RFC 9700 §4.11).
 */
export async function checkAuthorize(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  input: Authorize,
): Promise<void> {
  const project = await findLoginProject(db, input.client_id, input.server_id)
  const failed = firstFailed(authorizeChecks, { project, redirectUri: input.redirect_uri })
  if (!failed) return
  if (!project) throw new ApiError(failed.refusal)
  throw new ApiError(failed.refusal, {
    ...{ projectId: project.id, site: siteOf(project, input.redirect_uri) },
    ...(failed.refusal === 'REDIRECT_URI_NOT_ALLOWED' && {
      unlisted: unlistedUri(config, project.id, input.redirect_uri),
    }),
  })
}

/** The site as its refusal page names it. It links back only to where the project's own redirect URI leads. */
function siteOf(project: LoginProject, redirectUri: string) {
  const { name } = project
  const url = isListed(project, redirectUri) ? parseUrl(redirectUri) : undefined
  if (!url) return { name }
  // An app's own scheme has no page to go back to.
  const { protocol, origin } = url
  return protocol === 'https:' || protocol === 'http:' ? { name, href: `${origin}/` } : { name }
}
