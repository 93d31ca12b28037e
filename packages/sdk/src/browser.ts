/// <reference lib="dom" />
import type { Session } from './contract-types.ts'

/** Who is logged in in this browser: a session, null for nobody, undefined while that is not known yet. */
export type CurrentMember = Session | null | undefined

export interface MemberWatch {
  /** What is known now. */
  current(): CurrentMember
  /** Calls back at each change, until the function that it returns is called. */
  subscribe(onChange: () => void): () => void
  /** Ends the session, in all tabs. */
  signOut(): Promise<void>
}

/** A session that a page never leaves is looked after so often. */
const refreshEveryMs = 3_600_000

/**
 * Watches who is logged in, and tells within a second when their roles change.
 *
 * Of all tabs of a browser one has a stream, as browsers open only six connections to a site: the one that holds a lock.
 * It tells the others, and lets go of both while it is hidden. Nothing is asked before somebody subscribes.
 *
 * @example
 * const watch = watchMember()
 * watch.subscribe(() => show(watch.current()?.member.username ?? 'Log in'))
 */
export function watchMember(authPath = '/auth'): MemberWatch {
  const listeners = new Set<() => void>()
  const name = `rolecall ${authPath}`
  let known: CurrentMember
  let channel: BroadcastChannel | undefined
  let waiting: AbortController | undefined
  let letGo = () => {}

  const take = (session: Session | null) => {
    known = session
    for (const listener of listeners) listener()
  }
  const tell = (session: Session | null) => {
    take(session)
    channel?.postMessage(session)
  }
  const post = (route: string) => fetch(`${authPath}/${route}`, { method: 'POST' })
  /** Until the tab is hidden or left. */
  const listen = () =>
    new Promise<void>((resolve) => {
      const source = new EventSource(`${authPath}/live`)
      const timer = setInterval(() => void post('refresh').catch(() => {}), refreshEveryMs)
      source.addEventListener('session', ({ data }) => {
        tell(JSON.parse(data))
        // Nobody is logged in: the tab that somebody logs in by has a stream of its own, and tells.
        if (known === null) stop()
      })
      letGo = () => {
        source.close()
        clearInterval(timer)
        resolve()
      }
    })
  const stop = () => {
    waiting?.abort()
    waiting = undefined
    letGo()
  }
  const begin = () => {
    if (document.hidden) return stop()
    if (waiting) return
    waiting = new AbortController()
    // Not there on plain http, but on this machine: each tab then has a stream.
    if (navigator.locks) navigator.locks.request(name, { signal: waiting.signal }, listen).catch(() => {})
    else listen()
  }
  const ask = async () => {
    const answer = await fetch(`${authPath}/me`)
    if (answer.ok) take(await answer.json())
  }

  return {
    current: () => known,
    subscribe(onChange) {
      listeners.add(onChange)
      if (listeners.size === 1) {
        channel = new BroadcastChannel(name)
        channel.onmessage = ({ data }) => take(data)
        document.addEventListener('visibilitychange', begin)
        ask().catch(() => {})
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
      if (!answer.ok) throw new Error(`The session goes on: ${answer.status}.`)
      tell(null)
    },
  }
}
