import { sayIn } from '#languages/say'
import type { Answer } from '#platform/http/answer'
import { ApiError } from '#platform/http/api-error'

// An export is expensive, because some tables have no index by person, and it adds an entry to the audit log.
/** The maximum number of simultaneous exports on this instance, each of another person. */
const maxAtOnce = 2
/** The maximum number of exports of one person per hour on this instance. */
const maxAnHour = 6
const hourMs = 3_600_000

/**
 * Creates the function that runs an export within the limits. It throws RATE_LIMITED before anything is read if a limit
 * is reached.
 */
export function createOwnDataLimit() {
  /** The people with an export in progress. */
  const underWay = new Set<string>()
  let hour = 0
  const taken = new Map<string, number>()
  return async (memberId: string, read: () => Promise<Answer>): Promise<Answer> => {
    const now = Math.floor(performance.now() / hourMs)
    if (now !== hour) taken.clear()
    hour = now
    const before = taken.get(memberId) ?? 0
    if (before >= maxAnHour) throw tooMany('downloadedOften', '3600')
    if (underWay.has(memberId) || underWay.size >= maxAtOnce) throw tooMany('downloadsBusy', '10')
    taken.set(memberId, before + 1)
    underWay.add(memberId)
    const end = () => void underWay.delete(memberId)
    try {
      const answer = await read()
      // The export reads the database while it is sent, so it is in progress until the client has read it.
      if (answer.stream) answer.stream.once('close', end)
      else end()
      return answer
    } catch (error) {
      end()
      throw error
    }
  }
}

const tooMany = (text: 'downloadedOften' | 'downloadsBusy', retryAfterSec: string) =>
  new ApiError('RATE_LIMITED', {
    detail: sayIn('en')(text),
    notice: ({ say }) => [say(text)],
    headers: { 'retry-after': retryAfterSec },
  })
