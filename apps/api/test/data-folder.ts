import { statfsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A whole run needs a quarter of it at a time; the rest is for the processes of the run. */
const neededBytes = 6 * 1024 ** 3

/**
 * Creates a folder for a database that lives as long as a test. A database is a thousand small files: in memory they
 * cost a quarter of the processor time that they cost on a disk, and no test waits for the disk.
 */
export const makeDataFolder = (prefix: string): Promise<string> => mkdtemp(join(place(), prefix))

function place(): string {
  const memory = '/dev/shm'
  try {
    const { bavail, bsize } = statfsSync(memory)
    // The folder may be larger than the memory allowed to this process and its children.
    const freeBytes = Math.min(bavail * bsize, process.availableMemory())
    return freeBytes >= neededBytes ? memory : tmpdir()
  } catch {
    return tmpdir()
  }
}
