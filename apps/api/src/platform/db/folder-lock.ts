import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { realpath, unlink } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Locks a data folder, and returns the function that unlocks it. The lock is a listening socket. The operating system
 * closes it whenever the process ends, so it never has to be removed by hand.
 *
 * @throws FolderInUse if another process has locked the folder
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
 * The addresses of sockets that disappear with their process. On other platforms, the socket is a file, which remains
 * after a process was killed.
 */
const addresses: Partial<Record<NodeJS.Platform, (id: string) => string>> = {
  linux: (id) => `\0rolecall-${id}`,
  win32: (id) => `\\\\.\\pipe\\rolecall-${id}`,
}

/** Deletes the socket file of a process that no longer runs. */
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

/** Thrown if another process uses the data folder. */
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

/**
 * Returns the folder that a restore uses until it is complete. It is next to the data folder, and so on the same disk.
 */
export const unfinishedRestore = (folder: string) => `${folder}.restoring`

/** The reason why a data folder cannot be used, and the fix. */
export interface FolderProblem {
  readonly reason: string
  readonly fix: string
}

/** Thrown if the data folder cannot be created, read, or written. The message contains the reason and the fix. */
export class FolderUnusable extends Error {
  override readonly name = 'FolderUnusable'
  constructor(folder: string, { reason, fix }: FolderProblem, cause?: unknown) {
    super(`The data folder ${folder} cannot be used: ${reason}. ${fix}`, { cause })
  }
}

/**
 * Throws if a restore into this folder was interrupted. Otherwise, the service would create an empty database there, as
 * if the restore had lost the data.
 */
export function refuseUnfinishedRestore(folder: string) {
  const unfinished = unfinishedRestore(folder)
  if (!existsSync(unfinished)) return
  throw new FolderUnusable(folder, {
    reason: `a restore into it was interrupted and left ${unfinished}`,
    fix: `Run \`rolecall restore FILE\` again. For a new, empty database instead, remove ${unfinished} first.`,
  })
}
