'use client'

import { useSyncExternalStore } from 'react'
import { type CurrentMember, watchMember } from './browser.ts'

export type { CurrentMember } from './browser.ts'

/** One for all components of a page. */
const watch = watchMember()

/**
 * Who is logged in: a session, null for nobody, undefined while that is not known yet. Renders anew within a second when
 * their roles change. The routes of the login are at `/auth`.
 *
 * @example
 * const session = useMember()
 * return session ? <p>{session.member.username}</p> : <a href="/auth/login">Log in</a>
 */
export const useMember = (): CurrentMember =>
  useSyncExternalStore(watch.subscribe, watch.current, () => undefined)

/** Ends the session, in all tabs. */
export const signOut = (): Promise<void> => watch.signOut()
