import { existsSync, readdirSync } from 'node:fs'
import type { Config } from '../config.ts'

/** The embedded database's folder while there is nothing in it yet: opening it would make one. */
export function unmadeFolder({ databaseUrl }: Pick<Config, 'databaseUrl'>): string | undefined {
  const folder = /^pglite:(?!:memory:)(.*)/.exec(databaseUrl)?.[1]
  return folder && (!existsSync(folder) || readdirSync(folder).length === 0) ? folder : undefined
}
