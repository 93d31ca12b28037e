import { digestOf, mintToken } from '#platform/crypto/tokens'
import { type Answer, redirect } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import { readSecrets } from './auth-request.ts'
import { isShown } from './command-line-login.ts'
import { askPage, canceledPage, codePage } from './confirmation-pages.ts'
import {
  type ConfirmationClaim,
  cancelWaitingLogin,
  confirmWaitingLogin,
  findWaitingLogin,
} from './confirmation-store.ts'
import { codeTtlSec } from './issue-code.ts'
import { withCode, withError } from './project-redirect.ts'

interface Asked {
  readonly request: string
  /** The cookie of the browser that sent the request. */
  readonly cookie: string | undefined
}

type ConfirmDeps = Pick<Deps, 'db' | 'config'>

/**
 * Shows the account that a command line would sign in.
 *
 * @throws LOGIN_REQUEST_INVALID
 */
export async function showConfirmation({ db, config }: ConfirmDeps, asked: Asked): Promise<Answer> {
  const waiting = await findWaitingLogin(db, claimOf(asked))
  if (!waiting) throw confirmationOver()
  return askPage(waiting, { request: asked.request, issuer: config.publicUrl })
}

/**
 * Issues the code if the person confirmed, or reports to the command line that they canceled.
 *
 * @throws LOGIN_REQUEST_INVALID
 */
export async function answerConfirmation(
  { db, config }: ConfirmDeps,
  { answer, ...asked }: Asked & { readonly answer: 'confirm' | 'cancel' },
): Promise<Answer> {
  const issuer = config.publicUrl
  if (answer === 'cancel') {
    const canceled = await cancelWaitingLogin(db, claimOf(asked))
    if (!canceled) throw confirmationOver()
    if (isShown(canceled.redirectUri)) return canceledPage()
    return redirect(withError({ ...canceled, state: null }, 'declined', issuer))
  }
  const code = mintToken('code')
  const confirmed = await confirmWaitingLogin(db, claimOf(asked), {
    digest: digestOf(code),
    ttlSec: codeTtlSec,
  })
  if (!confirmed) throw confirmationOver()
  if (isShown(confirmed.redirectUri)) return codePage(code, issuer, codeTtlSec)
  return redirect(withCode({ ...confirmed, state: null }, code, issuer))
}

const claimOf = ({ request, cookie }: Asked): ConfirmationClaim => ({
  requestDigest: digestOf(request),
  browserDigests: readSecrets(cookie).map(digestOf),
})

/**
 * Creates the error for a confirmation that was answered, has expired, or belongs to another browser. It is the same
 * for all three.
 */
const confirmationOver = () =>
  new ApiError('LOGIN_REQUEST_INVALID', {
    reason: 'unknown',
    detail:
      'This page was answered already, is older than five minutes, or belongs to another browser. To sign in your command line, run `rolecall login` again.',
  })
