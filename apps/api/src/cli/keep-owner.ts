import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { existingPartOf, folderOf } from './unmade-folder.ts'

const root = 0

/**
 * Runs a command's work on the embedded database. If root runs the command, gives the folder to its owner afterwards:
 * files of root in the folder would keep the service, which runs as that owner, from starting again.
 *
 * A folder that does not exist yet is for the owner of the folder that will contain it. For PostgreSQL and for a
 * database in memory, only runs the work.
 */
export async function keepOwner<T>(databaseUrl: string, work: () => Promise<T>): Promise<T> {
  const given = folderOf(databaseUrl)
  if (given === undefined || process.geteuid?.() !== root) return work()
  const folder = resolve(given)
  const existing = existingPartOf(folder)
  const owner = statSync(existing)
  if (owner.uid === root) return work()
  try {
    return await work()
  } finally {
    const [topmost = ''] = relative(existing, folder).split(sep)
    give(join(existing, topmost), owner)
  }
}

/**
 * Gives a folder with all its contents to a user. The program `chown` does not follow links, even if the user replaces
 * a folder by a link meanwhile. Otherwise, the user could obtain files of root.
 */
function give(folder: string, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
  if (!existsSync(folder)) return
  try {
    execFileSync('chown', ['-hR', `${uid}:${gid}`, '--', folder], { stdio: 'pipe' })
  } catch {
    console.error(
      `Some files in ${folder} belong to root. Give them to the service: chown -R ${uid}:${gid} ${folder}`,
    )
  }
}
