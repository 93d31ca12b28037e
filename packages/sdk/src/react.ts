'use client'

import { useSyncExternalStore } from 'react'
import { type CurrentMember, watchMember } from './browser.ts'

export type { CurrentMember } from './browser.ts'

/** One watch for all components of a page. */
const watch = watchMember()

/**
 * Returns the session of the signed-in member: null if no member is signed in, undefined until that is known. The
 * component renders again within a second after the member's roles change. Requires the sign-in routes at `/auth`,
 * which `createRolecall()` adds to the server.
 *
 * @example
 * const session = useMember()
 * return session ? <p>{session.member.username}</p> : <a href="/auth/login">Sign in</a>
 */
export const useMember = (): CurrentMember =>
  useSyncExternalStore(watch.subscribe, watch.current, () => undefined)

/** Ends the session in all tabs. Rejects if the site could not end the session, which then continues. */
export const signOut = (): Promise<void> => watch.signOut()
