import { ApiError } from './http/api-error.ts'

/** The maximum number of downloads of a caller, because each may hold a connection of the database until its end. */
const maxPerCaller = 2
const retryAfterSec = '10'

export type LimitDownloads = <T>(callerId: string, pages: AsyncIterable<T>) => AsyncGenerator<T, void, void>

/**
 * Limits the downloads that each caller has in progress on this instance. A download beyond the limit is refused when
 * its first page is requested, before the response begins. The download ends when its rows end, fail, or are released.
 */
export function createDownloadLimit(): LimitDownloads {
  const underWay = new Map<string, number>()
  return async function* limited(callerId, pages) {
    const before = underWay.get(callerId) ?? 0
    if (before >= maxPerCaller) {
      throw new ApiError('RATE_LIMITED', {
        detail: `Only ${maxPerCaller} downloads at a time. Wait until one of your downloads ends.`,
        headers: { 'retry-after': retryAfterSec },
      })
    }
    underWay.set(callerId, before + 1)
    try {
      yield* pages
    } finally {
      const left = (underWay.get(callerId) ?? 1) - 1
      if (left === 0) underWay.delete(callerId)
      else underWay.set(callerId, left)
    }
  }
}
