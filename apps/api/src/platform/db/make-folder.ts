import { mkdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { FolderUnusable } from './folder-lock.ts'
import { chooseAnother, folderProblem } from './folder-problem.ts'

const acceptsNone = { reason: 'no folder can be created there', fix: `To fix it, ${chooseAnother}` }

/**
 * Creates a data folder and its missing parents. Returns the topmost folder that it created, or undefined.
 *
 * @throws FolderUnusable
 */
export async function makeFolder(folder: string): Promise<string | undefined> {
  try {
    return await makeWithParents(folder)
  } catch (error) {
    const problem = folderProblem(error) ?? (hasCode(error, 'ENOENT') ? acceptsNone : undefined)
    throw problem ? new FolderUnusable(folder, problem, error) : error
  }
}

/** Does the work of `mkdir` with `recursive`, which never ends in a file system that accepts no folders, as /proc. */
async function makeWithParents(folder: string): Promise<string | undefined> {
  if (await isFolder(folder)) return undefined
  const topmost = await makeWithParents(dirname(resolve(folder)))
  try {
    await mkdir(folder)
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!hasCode(error, 'EEXIST') || !(await isFolder(folder))) throw error
  }
  return topmost ?? folder
}

const hasCode = (error: unknown, code: string) => (error as NodeJS.ErrnoException).code === code

const isFolder = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
