import { readFileSync } from 'node:fs'
import { ApiError } from './api-error.ts'

/**
 * Reads a file of a build. A later build may have replaced the folder under a running service: the file is then
 * answered as unknown, until the service is started again.
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
