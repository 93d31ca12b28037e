import { queryOptions } from '@tanstack/react-query'
import { forgetDrafts } from '../forms/draft.ts'
import { ask } from './admin.ts'
import { forgetSessionTime } from './keep-session.ts'
import { announceSession } from './live.ts'
import { queryClient, question } from './queries.ts'

let administratorId: string | undefined

/**
 * The signed-in administrator. It is rarely fetched again, because every other call also shows if the session has
 * ended. If another administrator has signed in, deletes what the former one has typed and seen.
 */
export const profile = queryOptions({
  ...question('getProfile'),
  staleTime: 60_000,
  queryFn: async ({ signal }) => {
    const answer = await ask('getProfile', {}, signal)
    if (administratorId !== undefined && administratorId !== answer.id) {
      forgetDrafts()
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'getProfile' })
    }
    administratorId = answer.id
    return answer
  },
})

/** Returns the address that signs in and then returns to `place`, a path of the console with its query. */
export const loginAddress = (place: string): string =>
  `/api/auth/admin/login?${new URLSearchParams({ return_to: returnable.test(place) ? place : '/console/' })}`

/** The return addresses that the service accepts. Any other place is replaced by the start page. */
const returnable =
  /^\/console\/([A-Za-z0-9_~-][A-Za-z0-9._~-]*(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*\/?)?(\?[A-Za-z0-9/_.~?&=%+:@,;!$*()-]*)?$/

/**
 * Redeems the code that a sign-in leaves in the fragment of the address. Call it before any other code reads the
 * address. A code can be used only once. So it is removed from the address first, and a reload does not send it again.
 *
 * @returns the error of a refusal, or undefined
 */
export async function redeemCode(): Promise<unknown> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (!code) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  try {
    await ask('adminToken', { body: { code, cookie: true } })
    forgetSessionTime()
    announceSession()
    return undefined
  } catch (error) {
    return error
  }
}

/** Ends the session. The single sign-on of the browser continues, so the next sign-in may need only one click. */
export async function logOut(): Promise<void> {
  await ask('adminLogout', {})
  leave()
}

/** Shows the login page after the session has ended. Loads a new page, which also drops pending calls. */
export function leave(): void {
  queryClient.clear()
  // Another person may use this tab next, and must not see the drafts of this administrator.
  forgetDrafts()
  location.assign('/console/?logged_out=1')
}
