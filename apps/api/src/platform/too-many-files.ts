/** The minimum number of files that a process must be able to open to load the service. */
const fewFiles = 256

/**
 * Returns true if the process or the system has run out of files and connections. Node.js reports a missing module if
 * it cannot open the manifest of a package. So under a very low limit, that error counts, too.
 */
export function isTooManyFiles(error: unknown): boolean {
  const code = String((Object(error) as { code?: unknown }).code)
  return ['EMFILE', 'ENFILE'].includes(code) || (code === 'ERR_MODULE_NOT_FOUND' && allowedFiles() < fewFiles)
}

function allowedFiles(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  return Number(userLimits?.open_files?.soft ?? Number.POSITIVE_INFINITY)
}

/** Tells an operator the problem and the fix. */
export const tooManyFiles =
  'The limit on open files is too low. Allow at least 4096: `ulimit -n 4096` in a shell, LimitNOFILE=4096 in a systemd unit.'
