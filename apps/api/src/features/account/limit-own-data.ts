import { sayIn } from '#languages/say'
import { ApiError } from '#platform/http/api-error'

/**
 * The export of a person's data reads tables without an index by person, and each export adds an entry to the audit
 * log.
 */
const maxAtOnce = 2
const maxAnHour = 6
const hourMs = 3_600_000

/**
 * Limits the exports at once on this instance, and the exports an hour of each person.
 * @throws RATE_LIMITED, before anything is read
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
