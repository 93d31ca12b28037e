import { DatabaseUnavailable } from '#platform/db/database'

/** Resolves to undefined if the database is unavailable. Rejects with every other error. */
export async function ignoreOutage<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return undefined
    throw error
  }
}
