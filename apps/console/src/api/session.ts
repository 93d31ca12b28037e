import { queryOptions } from '@tanstack/react-query'
import { forgetDrafts } from '../forms/draft.ts'
import { ask } from './admin.ts'
import { forgetSessionTime } from './keep-session.ts'
import { queryClient, question } from './queries.ts'

/** Who is logged in. Asked for once; what ends the session shows at the next answer. */
export const profile = queryOptions({ ...question('getProfile'), staleTime: 60_000, retry: false })

/** The address that logs in and comes back to `place`: a path of the console with its query. */
export const loginAddress = (place: string): string =>
  `/api/auth/admin/login?${new URLSearchParams({ return_to: returnable.test(place) ? place : '/console/' })}`

/** What the service sends a browser back to; a place that it would refuse is given up for the start. */
const returnable =
  /^\/console\/([A-Za-z0-9_~-][A-Za-z0-9._~-]*(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*\/?)?(\?[A-Za-z0-9/_.~?&=%+:@,;!$*()-]*)?$/

/**
 * Redeems the code that a login leaves in the fragment, before anything else reads the address. The code is good once:
 * it leaves the address first, so that reloading does not send it again.
 *
 * @returns why it was refused, where it was
 */
export async function redeemCode(): Promise<unknown> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (!code) return undefined
  history.replaceState(history.state, '', location.pathname + location.search)
  try {
    await ask('adminToken', { body: { code, cookie: true } })
    forgetSessionTime()
    return undefined
  } catch (error) {
    return error
  }
}

/** Ends the session. The single sign-on of the browser goes on, so the next login may need no more than a click. */
export async function logOut(): Promise<void> {
  await ask('adminLogout', {})
  leave()
}

/** Shows the login: the session has ended. Whatever would ask once more goes with the page. */
export function leave(): void {
  queryClient.clear()
  // What was typed is of who typed it; the next person may use the same tab.
  forgetDrafts()
  location.assign('/console/?logged_out=1')
}
