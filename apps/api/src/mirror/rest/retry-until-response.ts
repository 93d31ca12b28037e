import { setTimeout as sleep } from 'node:timers/promises'
import { ChatPlatformError } from '#chat/chat-platform'

/** If Discord does not respond for this time, the request fails. */
const maxOutageMs = 10 * 60_000
const firstPauseMs = 500
const maxPauseMs = 30_000

interface Waiting {
  /** Called before each pause. It can throw to give up. */
  readonly beforeWait: () => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Repeats a request until Discord responds, during outages and rate limits. A request that Discord refuses is not
 * repeated, because Discord counts refused requests against the bot.
 */
export async function retryUntilResponse<T>(
  request: () => Promise<T>,
  { beforeWait, signal }: Waiting,
): Promise<T> {
  const deadline = performance.now() + maxOutageMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    signal.throwIfAborted()
    try {
      return await request()
    } catch (error) {
      const mayPass = error instanceof ChatPlatformError && error.failure !== 'refused'
      if (!mayPass || performance.now() > deadline) throw error
    }
    await beforeWait()
    // The pause is partly random, so that several instances do not retry at the same time.
    await sleep(pauseMs * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => {})
  }
}
