import { ApiError } from '#platform/http/api-error'

/** Returns the project of a key; throws an `ApiError` if the key is not valid now. */
type CheckKey = (key: string) => Promise<string>

/**
 * Checks keys for streams. An event reaches all streams of a project in one turn of the event loop. In that turn, all
 * streams of one key share one check. A later event checks again, because its key may have ended since.
 */
export function createKeyChecks(checkKey: CheckKey): (key: string) => Promise<boolean> {
  const ofThisTurn = new Map<string, Promise<boolean>>()
  return (key) => {
    const known = ofThisTurn.get(key)
    if (known) return known
    const isGood = checkKey(key).then(() => true, refusedAsFalse)
    ofThisTurn.set(key, isGood)
    queueMicrotask(() => ofThisTurn.delete(key))
    return isGood
  }
}

/** Keeps the stream open during an outage, which says nothing about the key. */
function refusedAsFalse(error: unknown): boolean {
  if (error instanceof ApiError) return false
  throw error
}
