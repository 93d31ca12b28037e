'use client'

import { useSyncExternalStore } from 'react'
import { type CurrentMember, watchMember } from './browser.ts'

export type { CurrentMember } from './browser.ts'

/** One watch for all components of a page. */
const watch = watchMember()

/**
 * Returns the session of the signed-in member: null if no member is signed in, undefined until that is known. Renders
 * again within a second when the member's roles change. Expects the sign-in routes at `/auth`.
 *
 * @example
 * const session = useMember()
 * return session ? <p>{session.member.username}</p> : <a href="/auth/login">Sign in</a>
 */
export const useMember = (): CurrentMember =>
  useSyncExternalStore(watch.subscribe, watch.current, () => undefined)

/** Ends the session, in all tabs. */
export const signOut = (): Promise<void> => watch.signOut()
