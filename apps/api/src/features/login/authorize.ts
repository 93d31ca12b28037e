import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { type OpenedRequest, openAuthRequest } from './auth-request.ts'
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
export async function checkAuthorize({ db }: Pick<Deps, 'db'>, input: Authorize): Promise<void> {
  const project = await findLoginProject(db, input.client_id, input.server_id)
  if (!project) throw new ApiError('UNKNOWN_PROJECT')
  checkProjectActive(project)
  checkRedirectUriAllowed(project, input.redirect_uri)
  checkServerAccessible(project)
}

function checkProjectActive({ isActive, id }: LoginProject) {
  if (!isActive) throw new ApiError('PROJECT_INACTIVE_AT_LOGIN', { projectId: id })
}

function checkRedirectUriAllowed({ redirectUris, id }: LoginProject, redirectUri: string) {
  if (!redirectUris.includes(redirectUri)) throw new ApiError('REDIRECT_URI_NOT_ALLOWED', { projectId: id })
}

function checkServerAccessible({ mayRead, id }: LoginProject) {
  if (!mayRead) throw new ApiError('SERVER_NOT_ACCESSIBLE', { projectId: id })
}
