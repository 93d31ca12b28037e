import { DatabaseFull } from './database.ts'
import type { FolderProblem } from './folder-lock.ts'

/** The numbers of ENOSPC and EDQUOT in the file system of the embedded engine; its errors have no code. */
const engineNumbers: readonly unknown[] = [51, 19]

/** Returns true if the disk of an embedded database, or the quota of its user, is used up. */
export function hasNoRoom(error: unknown): boolean {
  if (error instanceof DatabaseFull) return true
  const { name, errno, code } = Object(error) as { name?: unknown; errno?: unknown; code?: unknown }
  return code === 'ENOSPC' || code === 'EDQUOT' || (name === 'ErrnoError' && engineNumbers.includes(errno))
}

/** The problem and fix for the operator. */
export const noRoom: FolderProblem = {
  reason: 'its disk is full',
  fix: 'Free some space, or choose a folder on another disk: DATABASE_URL=pglite:<folder>.',
}
