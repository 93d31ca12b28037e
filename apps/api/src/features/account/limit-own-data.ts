import { sayIn } from '#languages/say'
import { ApiError } from '#platform/http/api-error'

// An export is expensive, because some tables have no index by person, and it adds an entry to the audit log.
/** The maximum number of simultaneous exports on this instance. */
const maxAtOnce = 2
/** The maximum number of exports of one person per hour on this instance. */
const maxAnHour = 6
const hourMs = 3_600_000

/**
 * Creates the function that runs an export within the limits. It throws RATE_LIMITED before anything is read if a limit
 * is reached.
 */
export function createOwnDataLimit() {
  let underWay = 0
  let hour = 0
  const taken = new Map<string, number>()
  return async <T>(memberId: string, read: () => Promise<T>): Promise<T> => {
    const now = Math.floor(performance.now() / hourMs)
    if (now !== hour) taken.clear()
    hour = now
    const before = taken.get(memberId) ?? 0
    if (before >= maxAnHour) throw tooMany('downloadedOften', '3600')
    if (underWay >= maxAtOnce) throw tooMany('downloadsBusy', '10')
    taken.set(memberId, before + 1)
    underWay += 1
    try {
      return await read()
    } finally {
      underWay -= 1
    }
  }
}

const tooMany = (text: 'downloadedOften' | 'downloadsBusy', retryAfterSec: string) =>
  new ApiError('RATE_LIMITED', {
    detail: sayIn('en')(text),
    notice: ({ say }) => [say(text)],
    headers: { 'retry-after': retryAfterSec },
  })
