import { DatabaseFull } from './database.ts'
import type { FolderProblem } from './folder-lock.ts'

/** ENOSPC and EDQUOT as the file system of the embedded engine numbers them; its errors have no code. */
const engineNumbers: readonly unknown[] = [51, 19]

/** True when the disk of an embedded database, or the quota of its user, is used up. */
export function hasNoRoom(error: unknown): boolean {
  if (error instanceof DatabaseFull) return true
  const { name, errno, code } = Object(error) as { name?: unknown; errno?: unknown; code?: unknown }
  return code === 'ENOSPC' || code === 'EDQUOT' || (name === 'ErrnoError' && engineNumbers.includes(errno))
}

/** What the operator is told about it. */
export const noRoom: FolderProblem = {
  reason: 'its disk is full',
  fix: 'Free some space, or choose a folder on another disk: DATABASE_URL=pglite:<folder>.',
}
