import type { Session } from '../contract-types.ts'
import { startTimer } from '../deadline.ts'
import type { Rolecall } from '../rolecall.ts'
import type { LiveStreams } from './live-streams.ts'
import type { Visit } from './visit.ts'

/** Looked at in any case so often, in milliseconds; also keeps proxies from closing a silent connection. */
const everyMs = { cached: 15_000, uncached: 5_000 }
/** All that look again at once, after a gap in what is known, do so spread over this time. */
const spreadMs = 300

/**
 * Who is logged in and with what roles, told at once and whenever it changes.
 *
 * It never tells a logout of somebody it has told of: their session may be refreshed elsewhere, which ends the token
 * that this stream knows. It ends instead, and the browser, which has the newest cookie, asks again.
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
        // When the roles were read is no news.
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
          // Nobody can tell for the moment: what was told stands, and the next look may know.
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
      // Where there is none, nobody is logged in, and it ends with the first look.
      if (key !== undefined) uncount = streams.open(key, end)
      look()
    },
    cancel: () => end(),
  })
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream',
      // Proxies and frameworks that compress would hold events back until there are many.
      'cache-control': 'private, no-store, no-transform',
      'x-accel-buffering': 'no',
    },
  })
}
