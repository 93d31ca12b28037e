import { DatabaseUnavailable } from '#platform/db/database'

/** Waits for a result. Returns undefined if the database is unavailable, and rejects with any other error. */
export async function ignoreOutage<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return undefined
    throw error
  }
}
