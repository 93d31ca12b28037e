import { readdir, rename, rm, rmdir } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { startEngine } from './embedded-engine.ts'
import { FolderUnusable, lockFolder, unfinishedRestore } from './folder-lock.ts'
import { folderProblem } from './folder-problem.ts'
import { makeFolder } from './make-folder.ts'

/**
 * Returns the folder of an embedded database as a compressed archive, in memory. The folder is locked meanwhile.
 *
 * @throws FolderUnusable, FolderInUse
 */
export async function archiveFolder(folder: string): Promise<Uint8Array> {
  const unlock = await lockFolder(folder)
  try {
    const engine = await startEngine({ dataDir: folder })
    const archive = await engine.pglite.dumpDataDir('gzip')
    await engine.close()
    return new Uint8Array(await archive.arrayBuffer())
  } catch (cause) {
    const cannot = {
      reason: 'the database engine cannot write it to an archive',
      fix: 'Check that enough memory is free.',
    }
    throw new FolderUnusable(folder, folderProblem(cause) ?? cannot, cause)
  } finally {
    await unlock()
  }
}

/** Thrown if a file is not an archive, is incomplete, or comes from another version of the engine. */
export class NotAnArchive extends Error {
  override readonly name = 'NotAnArchive'
}

/**
 * Unpacks an archive into a folder, which must be empty or missing. Works under another name until `check` has accepted
 * the data, so a folder with the final name is always complete. Locks the folder against the service and against other
 * restores. Removes the remains of an interrupted restore.
 *
 * @throws FolderUnusable, FolderInUse, NotAnArchive, or what `check` throws
 */
export async function unarchiveFolder(
  folder: string,
  archive: Uint8Array,
  check: (url: string) => Promise<void>,
): Promise<void> {
  const unfinished = unfinishedRestore(folder)
  const createdFolder = await makeFolder(folder)
  const unlock = await lockFolder(folder)
  try {
    if ((await readdir(folder)).length > 0) {
      const fix = 'Choose an empty folder or one that does not exist: DATABASE_URL=pglite:<folder>.'
      throw new FolderUnusable(folder, { reason: 'it is not empty', fix })
    }
    await rm(unfinished, { recursive: true, force: true })
    const tar = new Blob([await unpack(archive)], { type: 'application/x-tar' })
    const engine = await startEngine({ dataDir: unfinished, loadDataDir: tar }).catch((cause: unknown) => {
      throw folderProblem(cause) ? cause : new NotAnArchive('', { cause })
    })
    await engine.close()
    await check(`pglite:${unfinished}`)
    await rename(unfinished, folder)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    // Removes the folder only if this call has created it and it is empty.
    if (createdFolder !== undefined) await rmdir(folder).catch(() => {})
    const problem = folderProblem(error)
    throw problem ? new FolderUnusable(folder, problem, error) : error
  } finally {
    await unlock()
  }
}

/**
 * Decompresses an archive. Not left to the engine, whose error would end the process. The checksum of gzip shows
 * whether the archive is complete.
 */
async function unpack(archive: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const tar = new Uint8Array(await promisify(gunzip)(archive))
    if (new TextDecoder().decode(tar.subarray(257, 262)) === 'ustar') return tar
  } catch (cause) {
    throw new NotAnArchive('', { cause })
  }
  throw new NotAnArchive()
}
