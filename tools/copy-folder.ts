import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/**
 * Copies a folder to a path that does not exist. For a thousand small files, the system's own program takes a tenth of
 * the processor time of `node:fs`.
 */
export const copyFolder = (from: string, to: string) => promisify(execFile)('cp', ['-R', from, to])
