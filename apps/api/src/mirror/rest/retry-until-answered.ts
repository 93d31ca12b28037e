import { setTimeout as sleep } from 'node:timers/promises'
import { ChatPlatformError } from '#chat/chat-platform'

/** The time after which an outage of the platform fails the request. */
const maxOutageMs = 10 * 60_000
const firstPauseMs = 500
const maxPauseMs = 30_000

interface Waiting {
  /** Called before each wait. It may throw to give up. */
  readonly beforeWait: () => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Repeats a request until the platform responds, through outages and rate limits. Does not repeat a refused request,
 * because the platform counts refused requests against the bot.
 */
export async function retryUntilAnswered<T>(
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
    // Adds jitter, so that several instances do not retry at the same time.
    await sleep(pauseMs * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => {})
  }
}
