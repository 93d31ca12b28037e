import { statfsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The free memory that a run needs, in bytes. The folders use a quarter of it, and the processes of the run the rest.
 */
const neededBytes = 6 * 1024 ** 3

/**
 * Creates a folder for the database of a test, in memory if there is enough. A database has a thousand small files. In
 * memory, they cost a quarter of the processor time, and no test waits for the disk.
 */
export const makeDataFolder = (prefix: string): Promise<string> => mkdtemp(join(place(), prefix))

function place(): string {
  const memory = '/dev/shm'
  try {
    const { bavail, bsize } = statfsSync(memory)
    // Also checks the memory limit of this process and its children, because the folder may be larger than that.
    const freeBytes = Math.min(bavail * bsize, process.availableMemory())
    return freeBytes >= neededBytes ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}
