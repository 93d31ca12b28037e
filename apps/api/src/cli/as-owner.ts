import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const root = 0

/**
 * Runs a command's work on the embedded database. If root runs the command, the work runs as the owner of the folder:
 * files of root in the folder would keep the service, which runs as that owner, from starting again.
 *
 * A folder that does not exist yet belongs to the owner of the folder that will contain it. Does nothing special for
 * PostgreSQL, and for a database in memory.
 */
export async function asOwner<T>(databaseUrl: string, work: () => Promise<T>): Promise<T> {
  const [, folder] = /^pglite:(?!:memory:)(.+)/.exec(databaseUrl) ?? []
  if (folder === undefined || process.geteuid?.() !== root) return work()
  const { uid, gid } = statSync(existingPartOf(resolve(folder)))
  if (uid === root) return work()
  const rootGroup = process.getegid?.() ?? root
  // The group must change first and return last: only root may change it.
  process.setegid?.(gid)
  process.seteuid?.(uid)
  try {
    return await work()
  } finally {
    process.seteuid?.(root)
    process.setegid?.(rootGroup)
  }
}

/** Returns the folder, or the closest folder above it that exists. */
const existingPartOf = (folder: string): string =>
  existsSync(folder) ? folder : existingPartOf(dirname(folder))
