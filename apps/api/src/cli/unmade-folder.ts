import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { FolderUnusable } from '#platform/db/folder-lock'
import { folderProblem } from '#platform/db/folder-problem'
import type { Config } from '../config.ts'

/** Returns the folder of the embedded database, or undefined for PostgreSQL and for a database in memory. */
export const folderOf = (databaseUrl: string): string | undefined =>
  /^pglite:(?!:memory:)(.+)/.exec(databaseUrl)?.[1]

/**
 * Returns the folder of the embedded database if it is missing or empty, and undefined otherwise. Opening such a folder
 * would create a database.
 *
 * @throws FolderUnusable if this user may not read the folder
 */
export function unmadeFolder({ databaseUrl }: Pick<Config, 'databaseUrl'>): string | undefined {
  const folder = folderOf(databaseUrl)
  if (!folder) return undefined
  return explained(folder, () => !existsSync(folder) || readdirSync(folder).length === 0) ? folder : undefined
}

/**
 * Checks whether this user can create a database in a missing or empty folder. Creates nothing, so it cannot detect a
 * file system that accepts no folders.
 *
 * @throws FolderUnusable
 */
export function expectCreatable(folder: string): void {
  // With a slash at the end, a file in the place of a folder is an error.
  explained(folder, () => accessSync(`${existingPartOf(resolve(folder))}/`, constants.W_OK | constants.X_OK))
}

/** Returns the folder, or the closest folder above it that exists. */
export const existingPartOf = (folder: string): string =>
  existsSync(folder) ? folder : existingPartOf(dirname(folder))

/** Runs a check of the folder. Translates its error to a sentence with the fix. */
function explained<T>(folder: string, check: () => T): T {
  try {
    return check()
  } catch (error) {
    const problem = folderProblem(error)
    throw problem ? new FolderUnusable(folder, problem, error) : error
  }
}
