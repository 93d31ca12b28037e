import { ApiError } from './http/api-error.ts'

/**
 * The maximum number of downloads that a caller may have in progress. Each may occupy a database connection until it
 * ends.
 */
const maxPerCaller = 2
const retryAfterSec = '10'

/** Wraps the pages of a caller's download, so that it counts against the limit while they are read. */
export type LimitDownloads = <T>(callerId: string, pages: AsyncIterable<T>) => AsyncGenerator<T, void, void>

/**
 * Limits how many downloads each caller has in progress on this instance. A download above the limit fails when its
 * first page is requested, so before the response begins. It counts until its pages end, fail, or are no longer read.
 *
 * @throws RATE_LIMITED
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
