import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { StartRefused } from './start-refused.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** The environment of the process, over what a `.env` file in the working folder says. */
export function readEnvironment(): Environment {
  const file = existsSync('.env') ? parseEnv(readFile()) : {}
  return { ...file, ...process.env }
}

function readFile(): string {
  try {
    return readFileSync('.env', 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartRefused(`The file .env cannot be read (${code}): let this user read it, or move it away.`)
  }
}
