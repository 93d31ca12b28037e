import { findAdminServer } from '#mirror/read-servers'
import { ApiError } from '#platform/http/api-error'
import { chatPlatformUnavailable } from '#platform/http/problem'
import type { Deps } from '../../deps.ts'
import { type LoginRefusal, noticeOf } from '../../pages/refusal-notice.ts'
import { type OpenedRequest, openAuthRequest, pageRequestCookie } from './auth-request.ts'
import { describeRefusal } from './project-redirect.ts'
import type { AuthRequest } from './store.ts'

export const accountPath = '/account'

/**
 * Returns true for a sign-in to the account page. It creates no code, because the page only needs the single sign-on
 * that every sign-in starts.
 */
export const isForAccount = ({ projectId, redirectUri }: Pick<AuthRequest, 'projectId' | 'redirectUri'>) =>
  projectId === null && redirectUri === accountPath

/** Redirects a browser to the platform's screen, and from there to the account page. */
export async function accountLogin(
  deps: Pick<Deps, 'db' | 'chat' | 'config' | 'loginLimits'>,
  held: string | undefined,
  address: string,
): Promise<OpenedRequest> {
  const main = await findAdminServer(deps.db, deps.config.chatGuildId)
  if (!main) throw new ApiError('MAIN_SERVER_MISSING')
  const request = { projectId: null, serverId: main.id, redirectUri: accountPath, state: null }
  return openAuthRequest(deps, held, address, { ...request, codeChallenge: null }, pageRequestCookie)
}

/** Builds the page for a person whom a sign-in to the account page refused, with their ID if it is known. */
export function accountRefusal(
  refusal: LoginRefusal,
  server: string | undefined,
  account: { readonly memberId?: string },
): ApiError {
  const again = accountPath
  const explanation = { detail: describeRefusal(refusal, server), notice: noticeOf(refusal, server) }
  if (refusal === 'temporarily_unavailable' || refusal === 'server_error')
    return chatPlatformUnavailable(undefined, { again })
  if (refusal === 'blocked')
    return new ApiError('MEMBER_BLOCKED', { reason: 'account', ...explanation, ...account })
  return new ApiError('LOGIN_REFUSED', {
    ...explanation,
    ...{ again, reason: refusal },
    ...account,
    isCanceled: refusal === 'declined',
  })
}
