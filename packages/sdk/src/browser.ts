/// <reference lib="dom" />
import type { Session } from './contract-types.ts'

/** The session of the signed-in member. Null if no member is signed in, undefined until that is known. */
export type CurrentMember = Session | null | undefined

/** A watch on the signed-in member. All tabs of a browser see the same state. */
export interface MemberWatch {
  /** Returns the session, as last reported. Undefined until the first report. */
  current(): CurrentMember
  /** Calls `onChange` at each change. Returns a function that unsubscribes. */
  subscribe(onChange: () => void): () => void
  /** Ends the session in all tabs. Rejects if the site could not end the session, which then continues. */
  signOut(): Promise<void>
}

/** The interval, in milliseconds, at which a page that stays open refreshes its session. */
const refreshEveryMs = 3_600_000

/**
 * Watches the signed-in member, and notifies subscribers within a second when the member's roles change.
 *
 * Only one tab of a browser opens a stream, because browsers limit the connections to a site (to six with HTTP/1.1). A
 * Web Lock decides which tab it is. That tab notifies the others over a `BroadcastChannel`. While it is hidden, it
 * closes the stream and releases the lock, so that another tab can take over. Nothing is requested before the first
 * `subscribe()`.
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
  /** Reads the stream. Resolves, and so releases the lock, when `stop` is called. */
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
    // Browsers have no Web Locks on plain HTTP, except on localhost. Each tab then opens its own stream.
    if (navigator.locks) navigator.locks.request(name, { signal: lockRequest.signal }, stream).catch(() => {})
    else stream()
  }
  const load = async () => {
    const response = await fetch(`${authPath}/me`)
    if (response.ok) setSession(await response.json())
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
      const response = await post('logout')
      if (!response.ok) throw new Error(`The session continues: ${response.status}.`)
      publish(null)
    },
  }
}
