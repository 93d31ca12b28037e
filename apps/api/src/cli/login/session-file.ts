import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { stateFolder } from '../../process/environment.ts'
import { StartRefused } from '../../process/start-refused.ts'

/**
 * The session of an administrator at one service. The refresh token is not stored: after the end of the session, a new
 * sign-in is needed.
 */
export interface KeptSession {
  readonly token: string
  readonly expiresAt: string
  readonly username: string
}

type Sessions = Readonly<Record<string, KeptSession>>

/** Returns the path of the file with the sessions of this user. */
export const sessionFile = (): string => join(stateFolder(), 'rolecall', 'session')

/** Returns the session at this address, or undefined. */
export const findKeptSession = (address: string): KeptSession | undefined =>
  Object.entries(readSessions()).find(([at]) => at === address)?.[1]

/** Stores the session at this address, in place of an earlier one. */
export const keepSession = (address: string, session: KeptSession): void =>
  writeSessions({ ...readSessions(), [address]: session })

/** Removes the session at this address. */
export function deleteSession(address: string): void {
  const rest = Object.entries(readSessions()).filter(([at]) => at !== address)
  writeSessions(Object.fromEntries(rest))
}

function readSessions(): Sessions {
  const file = sessionFile()
  if (!existsSync(file)) return {}
  const sessions = parse(readFileSync(file, 'utf8'))
  if (sessions) return sessions
  throw new StartRefused(`The file ${file} is damaged. Remove it, then run \`rolecall login\`.`)
}

function parse(text: string): Sessions | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isSessions(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isSessions = (value: unknown): value is Sessions =>
  typeof value === 'object' && value !== null && Object.values(value).every(isSession)

const isSession = (value: unknown): value is KeptSession =>
  typeof value === 'object' &&
  value !== null &&
  ['token', 'expiresAt', 'username'].every((name) => typeof Reflect.get(value, name) === 'string')

/**
 * Writes a new file, and renames it when it is complete. So no program ever reads half a file, and the permissions of
 * an older file do not matter.
 */
function writeSessions(sessions: Sessions): void {
  const file = sessionFile()
  const folder = dirname(file)
  const draft = `${file}.${randomUUID()}`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    requireOwnFolder(folder)
    chmodSync(folder, 0o700)
    writeFileSync(draft, `${JSON.stringify(sessions, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(draft, file)
  } catch (error) {
    if (error instanceof StartRefused) throw error
    rmSync(draft, { force: true })
    const { code } = error as NodeJS.ErrnoException
    throw new StartRefused(
      `The session cannot be stored in ${file} (${code}). Set XDG_STATE_HOME to a folder that you can write.`,
    )
  }
}

/**
 * Throws if the folder is a link, or belongs to another user. Such a folder is not private, and its permissions are not
 * ours to change.
 */
function requireOwnFolder(folder: string): void {
  const found = lstatSync(folder)
  // Windows has no user IDs.
  if (found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid)) return
  throw new StartRefused(
    `The session cannot be stored in ${folder}: it is a link, or belongs to another user. Remove it, or set XDG_STATE_HOME to a folder of yours.`,
  )
}
