import { readFileSync } from 'node:fs'
import { ApiError } from './api-error.ts'

/**
 * Reads a file of a build. If a later build has replaced the folder of a running service, the file is not found until
 * the service restarts.
 *
 * @throws {ApiError} NOT_FOUND
 */
export function readBuilt(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new ApiError('NOT_FOUND', { cause: error })
  }
}
