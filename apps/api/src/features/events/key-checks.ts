import { ApiError } from '#platform/http/api-error'

/** Returns the project of a key; throws an `ApiError` when the key is not good now. */
type CheckKey = (key: string) => Promise<string>

/**
 * Checks keys for streams. An event reaches all streams of a project in one turn of the event loop; their checks of one key
 * in that turn are one check, however many streams there are. A later event asks again, because its key may have ended
 * since.
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

/** An outage says nothing about a key. */
function refusedAsFalse(error: unknown): boolean {
  if (error instanceof ApiError) return false
  throw error
}
