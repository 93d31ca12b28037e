import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { realpath, unlink } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Keeps a second process out of a data folder. The lock is a listening socket: the kernel releases it at any end of
 * the process, so a killed process leaves nothing to clean up by hand.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const id = createHash('sha256')
    .update(await realpath(folder))
    .digest('hex')
    .slice(0, 24)
  const path = addresses[process.platform]?.(id) ?? join(tmpdir(), `rolecall-${id}.sock`)
  if (path.startsWith(tmpdir())) await removeStale(path, folder)

  const server = createServer((socket) => socket.end())
  await new Promise<void>((resolve, reject) => {
    server.once('error', () => reject(new FolderInUse(folder)))
    server.listen(path, resolve)
  })
  server.unref()
  return () => new Promise((resolve) => server.close(() => resolve()))
}

/**
 * The names that disappear with the process. On other systems a socket is a file, which a killed process leaves
 * behind.
 */
const addresses: Partial<Record<NodeJS.Platform, (id: string) => string>> = {
  linux: (id) => `\0rolecall-${id}`,
  win32: (id) => `\\\\.\\pipe\\rolecall-${id}`,
}

async function removeStale(path: string, folder: string) {
  if (await isAnswering(path)) throw new FolderInUse(folder)
  await unlink(path).catch(() => {})
}

const isAnswering = (path: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => socket.destroy())
  })

export class FolderInUse extends Error {
  override readonly name = 'FolderInUse'
  readonly folder: string
  constructor(folder: string) {
    super(
      `The data folder ${folder} is in use by another Rolecall process. Stop that process, or choose ` +
        'another folder: DATABASE_URL=pglite:<folder>.',
    )
    this.folder = folder
  }
}

/** Returns the working folder of a restore until it is complete: beside the folder, on the same disk. */
export const unfinishedRestore = (folder: string) => `${folder}.restoring`

/** A reason why a data folder cannot be used, and how to fix it. */
export interface FolderProblem {
  readonly reason: string
  readonly fix: string
}

/** The data folder cannot be created, read, or written. The message gives one reason and its fix. */
export class FolderUnusable extends Error {
  override readonly name = 'FolderUnusable'
  constructor(folder: string, { reason, fix }: FolderProblem, cause?: unknown) {
    super(`The data folder ${folder} cannot be used: ${reason}. ${fix}`, { cause })
  }
}

/**
 * Refuses an unfinished restore: an empty database in the place of the expected one would seem to be a restore that
 * worked.
 */
export function refuseUnfinishedRestore(folder: string) {
  const unfinished = unfinishedRestore(folder)
  if (!existsSync(unfinished)) return
  throw new FolderUnusable(folder, {
    reason: `a restore into it was interrupted and left ${unfinished}`,
    fix: `Run \`rolecall restore FILE\` again. For a new, empty database instead, remove ${unfinished} first.`,
  })
}
