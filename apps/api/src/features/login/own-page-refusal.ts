import { ApiError } from '#platform/http/api-error'
import { chatPlatformUnavailable } from '#platform/http/problem'
import { type LoginRefusal, noticeOf } from '../../pages/refusal-notice.ts'
import { describeRefusal } from './project-redirect.ts'

interface RefusedVisit {
  /** The page that the person wanted: the account page, or the console. */
  readonly page: 'account' | 'admin_login'
  readonly refusal: LoginRefusal
  /** The name of the server, if it is known. */
  readonly server: string | undefined
  /** The address that starts the same sign-in again. */
  readonly again: string
  /** The member's ID, if Discord has identified the person. */
  readonly account: { readonly memberId?: string }
}

/** Returns the error of a refused sign-in to a page of the service, which is rendered as a page. */
export function ownPageRefusal({ page, refusal, server, again, account }: RefusedVisit): ApiError {
  if (refusal === 'temporarily_unavailable' || refusal === 'server_error') {
    return chatPlatformUnavailable(undefined, { again, isOurFault: refusal === 'server_error' })
  }
  const details = { detail: describeRefusal(refusal, server), notice: noticeOf(refusal, server), ...account }
  if (refusal === 'blocked') return new ApiError('MEMBER_BLOCKED', { ...details, reason: page })
  const link = { again, isCanceled: refusal === 'declined' }
  return page === 'account'
    ? new ApiError('LOGIN_REFUSED', { ...details, ...link, reason: refusal })
    : new ApiError('NOT_SYSTEM_ADMIN', { ...details, ...link, reason: page })
}
