import { digestOf, mintToken } from '#platform/crypto/tokens'
import { type Answer, redirect } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { readSecrets } from './auth-request.ts'
import { isShown } from './command-line-login.ts'
import { canceledPage, codePage, confirmationPage } from './confirmation-pages.ts'
import {
  type ConfirmationClaim,
  cancelWaitingLogin,
  confirmWaitingLogin,
  findWaitingLogin,
} from './confirmation-store.ts'
import { codeTtlSec } from './issue-code.ts'
import { withCode, withError } from './project-redirect.ts'

interface ConfirmationRequest {
  /** The secret in the address of the confirmation page. */
  readonly request: string
  /** The value of `requestCookie`. It must contain the secret of the browser that started the sign-in. */
  readonly cookie: string | undefined
}

type ConfirmDeps = Pick<Deps, 'db' | 'config'>

/**
 * Shows the page on which a person confirms the sign-in from a command line. It names the account.
 *
 * @throws LOGIN_REQUEST_INVALID
 */
export async function showConfirmation(
  { db, config }: ConfirmDeps,
  request: ConfirmationRequest,
): Promise<Answer> {
  const waiting = await findWaitingLogin(db, claimOf(request))
  if (!waiting) throw confirmationOver()
  return confirmationPage(waiting, { request: request.request, issuer: config.publicUrl })
}

/**
 * Issues the code if the person confirmed. If the person canceled, the command line receives the error `declined`. If
 * no program listens for the code, a page shows the result instead.
 *
 * @throws LOGIN_REQUEST_INVALID
 */
export async function decideConfirmation(
  { db, config }: ConfirmDeps,
  { answer, ...request }: ConfirmationRequest & { readonly answer: 'confirm' | 'cancel' },
): Promise<Answer> {
  const issuer = config.publicUrl
  if (answer === 'cancel') {
    const canceled = await cancelWaitingLogin(db, claimOf(request))
    if (!canceled) throw confirmationOver()
    if (isShown(canceled.redirectUri)) return canceledPage()
    return redirect(withError({ ...canceled, state: null }, 'declined', issuer))
  }
  const code = mintToken('code')
  const confirmed = await confirmWaitingLogin(db, claimOf(request), {
    digest: digestOf(code),
    ttlSec: codeTtlSec,
  })
  if (!confirmed) throw confirmationOver()
  if (isShown(confirmed.redirectUri)) return codePage(code, issuer, codeTtlSec)
  return redirect(withCode({ ...confirmed, state: null }, code, issuer))
}

const claimOf = ({ request, cookie }: ConfirmationRequest): ConfirmationClaim => ({
  requestDigest: digestOf(request),
  browserDigests: readSecrets(cookie).map(digestOf),
})

/**
 * Creates the error for a confirmation that was answered before, has expired, or belongs to another browser. The
 * service does not distinguish these cases.
 */
const confirmationOver = () =>
  new ApiError('LOGIN_REQUEST_INVALID', {
    reason: 'unknown',
    detail:
      'This page was answered already, is older than five minutes, or belongs to another browser. To sign in your command line, run `rolecall login` again.',
  })
