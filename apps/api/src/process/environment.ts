import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { parseEnv } from 'node:util'
import { StartRefused } from './start-refused.ts'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the environment variables of the process, and those of a `.env` file in the working folder. The process takes
 * precedence.
 *
 * @throws StartRefused if the file cannot be read
 */
export function readEnvironment(): Environment {
  const file = existsSync('.env') ? parseEnv(readFile()) : {}
  return { ...file, ...process.env }
}

/**
 * Returns the folder in which programs store the state of this user (XDG Base Directory Specification). A relative path
 * in `XDG_STATE_HOME` is ignored, as the specification requires.
 *
 * A `.env` file has no influence on it, because the working folder, and so the file, may come from someone else.
 */
export function stateFolder(): string {
  const { XDG_STATE_HOME: given = '' } = process.env
  return isAbsolute(given) ? given : join(homedir(), '.local', 'state')
}

/** Returns true if the command runs in a terminal, so that it can ask questions. */
export const isTerminal = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true

const oldSpaceFlag = /--max[-_]old[-_]space[-_]size[= ](\d+)/g

/** Returns the `--max-old-space-size` of this process in MiB. Undefined if Node.js chooses the limit. */
export function oldSpaceLimitMb(): number | undefined {
  // The command line takes precedence over NODE_OPTIONS, and the last occurrence over earlier ones.
  const flags = `${process.env['NODE_OPTIONS'] ?? ''} ${process.execArgv.join(' ')}`
  const last = [...flags.matchAll(oldSpaceFlag)].at(-1)
  return last && Number(last[1])
}

function readFile(): string {
  try {
    return readFileSync('.env', 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartRefused(`The file .env cannot be read (${code}). Let this user read it, or move it.`)
  }
}
