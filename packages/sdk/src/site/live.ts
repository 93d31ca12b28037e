import type { Session } from '../contract-types.ts'
import { startTimer } from '../deadline.ts'
import type { Rolecall } from '../rolecall.ts'
import type { LiveStreams } from './live-streams.ts'
import type { Visit } from './visit.ts'

/**
 * The interval, in milliseconds, at which a session is checked in any case. It also keeps proxies from closing an idle
 * connection.
 */
const everyMs = { cached: 15_000, uncached: 5_000 }
/** After a gap in the events, all streams check again within this time, in milliseconds, spread at random. */
const spreadMs = 300

/**
 * Streams the session of the signed-in member, with its roles: at once, and after each change.
 *
 * Never reports a logout after it has reported a member: their session may have been refreshed elsewhere, which ends
 * the token that this stream knows. The stream ends instead, and the browser reconnects with the newest cookie.
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
      let told: string | undefined
      let unwatch = () => {}
      let uncount = () => {}
      let timer: ReturnType<typeof setTimeout> | undefined
      let isOver = false
      let isLooking = false
      let isAskedAgain = false

      end = () => {
        if (isOver) return
        isOver = true
        clearTimeout(timer)
        unwatch()
        uncount()
        controller.close()
      }
      const tell = (session: Session | undefined) => {
        // A newer time of reading the roles is not a change.
        const text = JSON.stringify([session?.member, session?.roles])
        if (text === told) write(':\n\n')
        else write(`event: session\ndata: ${JSON.stringify(session ?? null)}\n\n`)
        told = text
      }
      const take = (session: Session | undefined) => {
        if (session || told === undefined) tell(session)
        if (!session) return end()
        unwatch()
        unwatch = client.watch(session, () => schedule(Math.random() * spreadMs))
      }
      const look = async () => {
        if (isLooking) {
          isAskedAgain = true
          return
        }
        isLooking = true
        isAskedAgain = false
        try {
          const session = await visit.lookUp()
          if (!isOver) take(session)
        } catch {
          // The check failed for now: the last state stands until the next check.
          if (!isOver) write(':\n\n')
        }
        isLooking = false
        schedule(isAskedAgain ? 0 : everyMs[isCached ? 'cached' : 'uncached'])
      }
      const schedule = (ms: number) => {
        clearTimeout(timer)
        if (!isOver) timer = startTimer(look, ms)
      }
      const { signal } = visit.request
      if (signal?.aborted) return end()
      signal?.addEventListener('abort', () => end())
      write('retry: 250\n\n')
      const key = visit.sessionKey()
      // Without a session no member is signed in, and the stream ends after the first check.
      if (key !== undefined) uncount = streams.open(key, end)
      look()
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
