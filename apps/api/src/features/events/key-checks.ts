import { ApiError } from '#platform/http/api-error'

/** Returns the project ID of a key. Throws an `ApiError` if the key is not valid now. */
type CheckKey = (key: string) => Promise<string>

/**
 * Creates the function that checks whether the key of a stream is still valid. An event reaches all streams of a
 * project at the same time, and all streams with the same key then share a check. A later event causes a new check.
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

/** Returns false for the rejection of a key. Rethrows any other error, because an outage says nothing about the key. */
function refusedAsFalse(error: unknown): boolean {
  if (error instanceof ApiError) return false
  throw error
}
