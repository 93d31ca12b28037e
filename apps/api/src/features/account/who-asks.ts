import { ApiError } from '#platform/http/api-error'
import { inLanguage, type Notice } from '#platform/http/reader'
import type { Deps } from '../../deps.ts'
import type { AccountNeeds } from './account-needs.ts'
import { type Account, findAccount } from './store.ts'

export interface Person {
  readonly memberId: string
  /** Their single sign-on in this browser. */
  readonly here: string
  readonly account: Account
}

/**
 * Who is logged in in the browser that asks: the account page has no session of its own, so that whatever ends a single
 * sign-on ends it. Undefined when nobody is.
 * @throws LOGIN_REFUSED of a person who is in no server of the community any more
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
