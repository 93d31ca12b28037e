import { DatabaseFull } from './database.ts'

/** ENOSPC and EDQUOT as the file system of the embedded engine numbers them; its errors have no code. */
const engineNumbers: readonly unknown[] = [51, 19]

/** True when the disk of an embedded database, or the quota of its user, is used up. */
export function hasNoRoom(error: unknown): boolean {
  if (error instanceof DatabaseFull) return true
  const { name, errno, code } = Object(error) as { name?: unknown; errno?: unknown; code?: unknown }
  return code === 'ENOSPC' || code === 'EDQUOT' || (name === 'ErrnoError' && engineNumbers.includes(errno))
}

/** What a person is told of it. */
export const noRoom = 'its disk is full: free some space'
