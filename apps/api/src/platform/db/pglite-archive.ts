import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'
import { FolderUnusable, lockFolder, unfinishedRestore } from './folder-lock.ts'
import { hasNoRoom, noRoom } from './no-room.ts'

/** The whole folder of an embedded database as one compressed archive, in memory. Nobody else has it open meanwhile. */
export async function archiveFolder(folder: string): Promise<Uint8Array> {
  const unlock = await lockFolder(folder)
  try {
    const pglite = await PGlite.create({ dataDir: folder })
    const archive = await pglite.dumpDataDir('gzip')
    await pglite.close()
    return new Uint8Array(await archive.arrayBuffer())
  } catch (cause) {
    const cannot = {
      reason: 'the database engine cannot write it to an archive',
      fix: 'Check that enough memory is free.',
    }
    throw new FolderUnusable(folder, hasNoRoom(cause) ? noRoom : cannot, cause)
  } finally {
    await unlock()
  }
}

/** The archive is none, is not whole, or was made by another version of the engine. */
export class NotAnArchive extends Error {
  override readonly name = 'NotAnArchive'
}

/**
 * Makes a folder of an archive. It is under another name until `look` has found it good, so that what is there under the
 * right name is whole. The folder must be empty or not there; it is locked, so that neither another restore nor the service
 * works there meanwhile. What an interrupted restore left behind is removed.
 */
export async function unarchiveFolder(
  folder: string,
  archive: Uint8Array,
  look: (url: string) => Promise<void>,
): Promise<void> {
  const unfinished = unfinishedRestore(folder)
  const made = await mkdir(folder, { recursive: true })
  const unlock = await lockFolder(folder)
  try {
    if ((await readdir(folder)).length > 0) {
      const fix = 'Choose an empty folder or one that does not exist: DATABASE_URL=pglite:<folder>.'
      throw new FolderUnusable(folder, { reason: 'it is not empty', fix })
    }
    await rm(unfinished, { recursive: true, force: true })
    const tar = new Blob([await unpack(archive)], { type: 'application/x-tar' })
    const pglite = await PGlite.create({ dataDir: unfinished, loadDataDir: tar }).catch((cause: unknown) => {
      throw hasNoRoom(cause) ? cause : new NotAnArchive('', { cause })
    })
    await pglite.close()
    await look(`pglite:${unfinished}`)
    await rename(unfinished, folder)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    // Only what this call made, and only while it is empty.
    if (made !== undefined) await rmdir(folder).catch(() => {})
    throw hasNoRoom(error) ? new FolderUnusable(folder, noRoom, error) : error
  } finally {
    await unlock()
  }
}

/** Here, and not in the engine, whose error would end the process. The checksum of gzip says whether it is whole. */
async function unpack(archive: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  try {
    const tar = new Uint8Array(await promisify(gunzip)(archive))
    if (new TextDecoder().decode(tar.subarray(257, 262)) === 'ustar') return tar
  } catch (cause) {
    throw new NotAnArchive('', { cause })
  }
  throw new NotAnArchive()
}
