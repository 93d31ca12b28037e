import { ApiError } from '#platform/http/api-error'
import { inLanguage, type Notice } from '#platform/http/reader'
import type { Deps } from '../../deps.ts'
import type { AccountNeeds } from './account-needs.ts'
import { type Account, findAccount } from './store.ts'

/** The person who is signed in with this browser. */
export interface Person {
  readonly memberId: string
  /** The ID of the single sign-on in this browser. */
  readonly here: string
  readonly account: Account
}

/**
 * Returns the person who is signed in with this browser, or undefined. The account page has no session of its own. It
 * uses the single sign-on, so everything that ends the single sign-on also ends access to this page.
 *
 * @throws LOGIN_REFUSED if the person is no longer in any server of the community
 */
export async function whoAsks(
  { db, login }: Pick<Deps, 'db'> & Pick<AccountNeeds, 'login'>,
  cookies: string | undefined,
): Promise<Person | undefined> {
  const known = await login.find(cookies)
  const account = known && (await findAccount(db, known.memberId))
  if (!account) return undefined
  if (!account.isCurrent) {
    const notice: Notice = ({ say }) => [
      say('leftCommunity', { account: account.username }),
      say('leftCommunityAdvice'),
    ]
    throw new ApiError('LOGIN_REFUSED', {
      detail: notice(inLanguage('en')).join(' '),
      notice,
      reason: 'failed',
    })
  }
  return { memberId: known.memberId, here: known.id, account }
}
