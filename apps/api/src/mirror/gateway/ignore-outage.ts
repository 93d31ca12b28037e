import { DatabaseUnavailable } from '#platform/db/database'

/** Returns undefined if the database did not answer. */
export async function ignoreOutage<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return undefined
    throw error
  }
}
