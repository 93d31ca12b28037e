/// <reference lib="dom" />
import type { Session } from './contract-types.ts'

/** The session of the member who is signed in. Null if no member is, undefined until that is known. */
export type CurrentMember = Session | null | undefined

/** A watch on the signed-in member, for all tabs of a browser. */
export interface MemberWatch {
  /** Returns the last known session. */
  current(): CurrentMember
  /** Calls `onChange` at each change. Returns a function that unsubscribes. */
  subscribe(onChange: () => void): () => void
  /** Ends the session, in all tabs. */
  signOut(): Promise<void>
}

/** The interval, in milliseconds, at which a page that stays open refreshes its session. */
const refreshEveryMs = 3_600_000

/**
 * Watches the signed-in member, and notifies subscribers within a second when the member's roles change.
 *
 * Browsers open only six connections to a site, so only one tab of a browser opens a stream: the tab that holds a lock.
 * It notifies the other tabs, and releases stream and lock while it is hidden. Nothing is requested before the first
 * subscription.
 *
 * @example
 * const watch = watchMember()
 * watch.subscribe(() => show(watch.current()?.member.username ?? 'Sign in'))
 */
export function watchMember(authPath = '/auth'): MemberWatch {
  const listeners = new Set<() => void>()
  const name = `rolecall ${authPath}`
  let current: CurrentMember
  let channel: BroadcastChannel | undefined
  let lockRequest: AbortController | undefined
  let stopStream = () => {}

  const setSession = (session: Session | null) => {
    current = session
    for (const listener of listeners) listener()
  }
  const publish = (session: Session | null) => {
    setSession(session)
    channel?.postMessage(session)
  }
  const post = (route: string) => fetch(`${authPath}/${route}`, { method: 'POST' })
  /** Reads the stream until the tab is hidden or closed. */
  const stream = () =>
    new Promise<void>((resolve) => {
      const source = new EventSource(`${authPath}/live`)
      const timer = setInterval(() => void post('refresh').catch(() => {}), refreshEveryMs)
      source.addEventListener('session', ({ data }) => {
        publish(JSON.parse(data))
        // No member is signed in. The tab in which a member signs in opens its own stream and notifies this tab.
        if (current === null) stop()
      })
      stopStream = () => {
        source.close()
        clearInterval(timer)
        resolve()
      }
    })
  const stop = () => {
    lockRequest?.abort()
    lockRequest = undefined
    stopStream()
  }
  const begin = () => {
    if (document.hidden) return stop()
    if (lockRequest) return
    lockRequest = new AbortController()
    // Plain HTTP has no locks, except on localhost. Each tab then opens a stream.
    if (navigator.locks) navigator.locks.request(name, { signal: lockRequest.signal }, stream).catch(() => {})
    else stream()
  }
  const load = async () => {
    const answer = await fetch(`${authPath}/me`)
    if (answer.ok) setSession(await answer.json())
  }

  return {
    current: () => current,
    subscribe(onChange) {
      listeners.add(onChange)
      if (listeners.size === 1) {
        channel = new BroadcastChannel(name)
        channel.onmessage = ({ data }) => setSession(data)
        document.addEventListener('visibilitychange', begin)
        load().catch(() => {})
        begin()
      }
      return () => {
        if (!listeners.delete(onChange) || listeners.size > 0) return
        document.removeEventListener('visibilitychange', begin)
        channel?.close()
        channel = undefined
        stop()
      }
    },
    async signOut() {
      const answer = await post('logout')
      if (!answer.ok) throw new Error(`The session continues: ${answer.status}.`)
      publish(null)
    },
  }
}
