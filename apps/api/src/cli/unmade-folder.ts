import { existsSync, readdirSync } from 'node:fs'
import type { Config } from '../config.ts'

/** Returns the folder of the embedded database, or undefined for PostgreSQL and for a database in memory. */
export const folderOf = (databaseUrl: string): string | undefined =>
  /^pglite:(?!:memory:)(.+)/.exec(databaseUrl)?.[1]

/**
 * Returns the folder of the embedded database if it is missing or empty, and undefined otherwise. Opening such a folder
 * would create a database.
 */
export function unmadeFolder({ databaseUrl }: Pick<Config, 'databaseUrl'>): string | undefined {
  const folder = folderOf(databaseUrl)
  return folder && (!existsSync(folder) || readdirSync(folder).length === 0) ? folder : undefined
}
