import { findAdminServer } from '#mirror/read-servers'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { type OpenedRequest, openAuthRequest, pageRequestCookie } from './auth-request.ts'
import type { AuthRequest } from './store.ts'

/** The path of the account page, and the redirect URI of a sign-in to it. */
export const accountPath = '/account'

/**
 * Returns true for a sign-in to the account page. This sign-in creates no code: the page only needs single sign-on,
 * which every sign-in starts.
 */
export const isForAccount = ({ projectId, redirectUri }: Pick<AuthRequest, 'projectId' | 'redirectUri'>) =>
  projectId === null && redirectUri === accountPath

/**
 * Starts a sign-in to the account page: the browser goes to Discord's screen, and from there to the page. `cookieValue`
 * is the value of `pageRequestCookie`.
 *
 * @throws MAIN_SERVER_MISSING if there is no main server
 */
export async function accountLogin(
  deps: Pick<Deps, 'db' | 'chat' | 'config' | 'loginLimits'>,
  cookieValue: string | undefined,
  address: string,
): Promise<OpenedRequest> {
  const main = await findAdminServer(deps.db, deps.config.chatGuildId)
  if (!main) throw new ApiError('MAIN_SERVER_MISSING')
  const request = { projectId: null, serverId: main.id, redirectUri: accountPath, state: null }
  return openAuthRequest(deps, cookieValue, address, { ...request, codeChallenge: null }, pageRequestCookie)
}
