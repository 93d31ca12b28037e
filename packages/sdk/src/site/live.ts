import type { Session } from '../contract-types.ts'
import { startTimer } from '../deadline.ts'
import type { Rolecall } from '../rolecall.ts'
import type { LiveStreams } from './live-streams.ts'
import type { Visit } from './visit.ts'

/**
 * The interval, in milliseconds, at which a session is checked if no event arrives. Each check sends at least a
 * comment, so that proxies do not close the connection as idle.
 */
const everyMs = { cached: 15_000, uncached: 5_000 }
/**
 * The maximum delay, in milliseconds, of a check after a change. The delay is random, because a gap in the events
 * causes a check of every stream.
 */
const spreadMs = 300

/**
 * Streams the session of the signed-in member, with its roles: once at the start, and after each change. Sends `null`
 * and ends if no member is signed in at the start.
 *
 * If the session ends later, the stream ends without a message. The token may only have been replaced by a refresh, and
 * the browser reconnects with its newest cookie. So only a new stream reports a logout.
 */
export function liveResponse(
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
        // Compares without `rolesAsOf`, because a newer time is not a change.
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
          // The service or the app's store cannot be reached. The last state stays valid until the next check.
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
      // A stream without a session ends after its first check, so it is not counted.
      if (key !== undefined) releaseStream = streams.open(key, end)
      check()
    },
    cancel: () => end(),
  })
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream',
      // `no-transform` prevents compression, which would buffer the events. So does `x-accel-buffering` for nginx.
      'cache-control': 'private, no-store, no-transform',
      'x-accel-buffering': 'no',
    },
  })
}
