import { setTimeout as sleep } from 'node:timers/promises'
import { ChatPlatformError } from '#chat/chat-platform'

/** The time limit of a request to a platform that does not answer. */
const patienceMs = 10 * 60_000
const firstPauseMs = 500
const maxPauseMs = 30_000

interface Waiting {
  /** Called before each wait; may throw to give up. */
  readonly beforeWait: () => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Repeats a request until the platform answers. Waits out an outage or a limit; a refusal is an answer, and another
 * request would only be counted against us.
 */
export async function askPatiently<T>(
  question: () => Promise<T>,
  { beforeWait, signal }: Waiting,
): Promise<T> {
  const deadline = performance.now() + patienceMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    signal.throwIfAborted()
    try {
      return await question()
    } catch (error) {
      const mayPass = error instanceof ChatPlatformError && error.failure !== 'refused'
      if (!mayPass || performance.now() > deadline) throw error
    }
    await beforeWait()
    // With jitter: several instances must not come back in step.
    await sleep(pauseMs * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => {})
  }
}
