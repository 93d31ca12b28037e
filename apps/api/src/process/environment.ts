import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { parseEnv } from 'node:util'
import { StartRefused } from './start-refused.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Returns the environment of the process, merged over the `.env` file of the working folder. */
export function readEnvironment(): Environment {
  const file = existsSync('.env') ? parseEnv(readFile()) : {}
  return { ...file, ...process.env }
}

/**
 * Returns the folder where programs keep the state of this user, by the XDG specification, which ignores a relative path.
 *
 * Only the process decides: with a `.env` file, a folder that someone else made could name it.
 */
export function stateFolder(): string {
  const { XDG_STATE_HOME: given = '' } = process.env
  return isAbsolute(given) ? given : join(homedir(), '.local', 'state')
}

/** Returns true if the command runs in a terminal, so that it can ask questions. */
export const isTerminal = (): boolean => process.stdin.isTTY === true && process.stdout.isTTY === true

const oldSpaceFlag = /--max[-_]old[-_]space[-_]size[= ](\d+)/g

/** Returns the `--max-old-space-size` of this process in MiB; undefined if the engine decides. */
export function oldSpaceLimitMb(): number | undefined {
  // The command line takes precedence, and of a repeated flag the last occurrence counts.
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
