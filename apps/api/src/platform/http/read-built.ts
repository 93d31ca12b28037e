import { readFileSync } from 'node:fs'
import { ApiError } from './api-error.ts'

/**
 * Reads a file of the built pages. If a later build has replaced the folder while the service runs, the files are
 * missing until the service restarts.
 *
 * @throws NOT_FOUND
 */
export function readBuilt(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new ApiError('NOT_FOUND', { cause: error })
  }
}
