import { ApiError } from '#platform/http/api-error'

/** Returns the project of a key. Throws an `ApiError` if the key is not valid now. */
type CheckKey = (key: string) => Promise<string>

/**
 * Checks the keys of streams. An event reaches all streams of a project in one turn of the event loop, in which all
 * streams with the same key share a check. A later event checks the key again, because it may have ended since.
 */
export function createKeyChecks(checkKey: CheckKey): (key: string) => Promise<boolean> {
  const checks = new Map<string, Promise<boolean>>()
  return (key) => {
    const known = checks.get(key)
    if (known) return known
    const isGood = checkKey(key).then(() => true, refusedAsFalse)
    checks.set(key, isGood)
    queueMicrotask(() => checks.delete(key))
    return isGood
  }
}

/** Returns false if the key was rejected. Throws any other error, because an outage says nothing about the key. */
function refusedAsFalse(error: unknown): boolean {
  if (error instanceof ApiError) return false
  throw error
}
