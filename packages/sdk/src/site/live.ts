import type { Session } from '../contract-types.ts'
import { startTimer } from '../deadline.ts'
import type { Rolecall } from '../rolecall.ts'
import type { LiveStreams } from './live-streams.ts'
import type { Visit } from './visit.ts'

/**
 * The interval, in milliseconds, at which a session is checked even if no event arrives. Each check sends something,
 * which keeps proxies from closing an idle connection.
 */
const everyMs = { cached: 15_000, uncached: 5_000 }
/**
 * The maximum delay, in milliseconds, of a check after a change. Random, because a gap in the events concerns all
 * streams.
 */
const spreadMs = 300

/**
 * Streams the session of the signed-in member, with its roles: at once, and after each change.
 *
 * Never reports a logout after it has reported a member, because the session may have been refreshed elsewhere, which
 * ends the token of this stream. The stream ends instead, and the browser reconnects with its newest cookie.
 */
export function liveAnswer(
  visit: Visit,
  client: Pick<Rolecall, 'watch'>,
  streams: LiveStreams,
  isCached: boolean,
): Response {
  let end = () => {}
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string) => controller.enqueue(new TextEncoder().encode(text))
      let lastSent: string | undefined
      let stopWatching = () => {}
      let releaseStream = () => {}
      let timer: ReturnType<typeof setTimeout> | undefined
      let hasEnded = false
      let isChecking = false
      let isCheckRequested = false

      end = () => {
        if (hasEnded) return
        hasEnded = true
        clearTimeout(timer)
        stopWatching()
        releaseStream()
        controller.close()
      }
      const send = (session: Session | undefined) => {
        // Leaves out `rolesAsOf`, because a newer time is not a change.
        const text = JSON.stringify([session?.member, session?.roles])
        if (text === lastSent) write(':\n\n')
        else write(`event: session\ndata: ${JSON.stringify(session ?? null)}\n\n`)
        lastSent = text
      }
      const handleResult = (session: Session | undefined) => {
        if (session || lastSent === undefined) send(session)
        if (!session) return end()
        stopWatching()
        stopWatching = client.watch(session, () => schedule(Math.random() * spreadMs))
      }
      const check = async () => {
        if (isChecking) {
          isCheckRequested = true
          return
        }
        isChecking = true
        isCheckRequested = false
        try {
          const session = await visit.validate()
          if (!hasEnded) handleResult(session)
        } catch {
          // The last state stands until the next check.
          if (!hasEnded) write(':\n\n')
        }
        isChecking = false
        schedule(isCheckRequested ? 0 : everyMs[isCached ? 'cached' : 'uncached'])
      }
      const schedule = (ms: number) => {
        clearTimeout(timer)
        if (!hasEnded) timer = startTimer(check, ms)
      }
      const { signal } = visit.request
      if (signal?.aborted) return end()
      signal?.addEventListener('abort', () => end())
      write('retry: 250\n\n')
      const key = visit.sessionKey()
      // Without a session the stream ends after the first check, so it need not be counted.
      if (key !== undefined) releaseStream = streams.open(key, end)
      check()
    },
    cancel: () => end(),
  })
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream',
      // Proxies and frameworks that compress would buffer the events.
      'cache-control': 'private, no-store, no-transform',
      'x-accel-buffering': 'no',
    },
  })
}
