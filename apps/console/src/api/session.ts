import { queryOptions } from '@tanstack/react-query'
import { forgetDrafts } from '../forms/draft.ts'
import { ask } from './admin.ts'
import { forgetSessionTime } from './keep-session.ts'
import { queryClient, question } from './queries.ts'

/** The signed-in administrator. Fetched once, because a later call shows that the session has ended. */
export const profile = queryOptions({ ...question('getProfile'), staleTime: 60_000 })

/** The address that signs in and returns to `place`: a path of the console with its query. */
export const loginAddress = (place: string): string =>
  `/api/auth/admin/login?${new URLSearchParams({ return_to: returnable.test(place) ? place : '/console/' })}`

/** The return addresses that the service accepts. Any other place is replaced by the start page. */
const returnable =
  /^\/console\/([A-Za-z0-9_~-][A-Za-z0-9._~-]*(\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*\/?)?(\?[A-Za-z0-9/_.~?&=%+:@,;!$*()-]*)?$/

/**
 * Redeems the code that a sign-in leaves in the fragment, before any other code reads the address. A code can be used
 * once, so it is removed from the address first, and reloading does not send it again.
 * @returns the reason of a refusal, or undefined
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

/** Ends the session. The single sign-on of the browser continues, so the next sign-in may need only one click. */
export async function logOut(): Promise<void> {
  await ask('adminLogout', {})
  leave()
}

/** Shows the login page, because the session has ended. Pending calls are dropped with the page. */
export function leave(): void {
  queryClient.clear()
  // Drafts belong to the administrator who typed them, and another person may use the same tab next.
  forgetDrafts()
  location.assign('/console/?logged_out=1')
}
