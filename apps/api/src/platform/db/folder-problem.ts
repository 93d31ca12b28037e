import { DatabaseFull } from './database.ts'
import { EngineStopped } from './embedded-engine.ts'
import type { FolderProblem } from './folder-lock.ts'

/** The last part of most fixes: use another folder. */
export const chooseAnother = 'choose another folder: DATABASE_URL=pglite:<folder>.'

const noPermission: FolderProblem = {
  reason: 'this user cannot write there',
  fix: `Give this user the permission, or ${chooseAnother}`,
}
const inItsPlace: FolderProblem = {
  reason: 'a file has this name',
  fix: `Move the file, or ${chooseAnother}`,
}
const noRoom: FolderProblem = {
  reason: 'its disk is full',
  fix: 'Free some space, or move the folder to another disk: DATABASE_URL=pglite:<folder>.',
}
/** The problems with a folder that an operator can fix, by error code of the operating system. */
const fixable: Readonly<Record<string, FolderProblem>> = {
  EACCES: noPermission,
  EPERM: noPermission,
  EROFS: { reason: 'its file system is read-only', fix: `Mount it for writing, or ${chooseAnother}` },
  ENOTDIR: inItsPlace,
  EEXIST: inItsPlace,
  ENOSPC: noRoom,
  EDQUOT: noRoom,
  EFBIG: {
    reason: 'this process may not write files of the size that the database needs',
    fix: 'Raise the limit: `ulimit -f unlimited` in a shell, LimitFSIZE=infinity in a systemd unit.',
  },
  ENAMETOOLONG: { reason: 'its name is too long', fix: `To fix it, ${chooseAnother}` },
}
/** Error codes by the numbers of the embedded engine's file system, whose errors have no code. */
const engineNumbers: Readonly<Record<number, string>> = {
  2: 'EACCES',
  19: 'EDQUOT',
  22: 'EFBIG',
  51: 'ENOSPC',
  63: 'EPERM',
  69: 'EROFS',
}
/** Error codes by the words at the end of the embedded engine's messages. */
const engineWords: Readonly<Record<string, string>> = {
  'Permission denied': 'EACCES',
  'Quota exceeded': 'EDQUOT',
  'File too large': 'EFBIG',
  'No space left on device': 'ENOSPC',
  'Operation not permitted': 'EPERM',
  'Read-only file system': 'EROFS',
}

/**
 * Returns the problem with the data folder that caused this error. Returns undefined if it is not a problem that an
 * operator can fix.
 */
export const folderProblem = (error: unknown): FolderProblem | undefined => fixable[codeOf(error) ?? '']

function codeOf(error: unknown): string | undefined {
  if (error instanceof DatabaseFull) return 'ENOSPC'
  if (error instanceof EngineStopped)
    return engineWords[error.message.split(': ').at(-1) ?? ''] ?? codeOf(error.cause)
  const { name, errno, code } = Object(error) as { name?: unknown; errno?: unknown; code?: unknown }
  return name === 'ErrnoError' ? engineNumbers[Number(errno)] : code === undefined ? undefined : String(code)
}
