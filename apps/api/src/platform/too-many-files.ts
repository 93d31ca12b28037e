/** The minimum number of open files that a process needs to load the service. */
const fewFiles = 256

/**
 * Returns true if the process or the system cannot open another file or connection. If Node.js cannot open the manifest
 * of a package, it reports a missing module. So under a low limit, a missing module counts as well.
 */
export function isTooManyFiles(error: unknown): boolean {
  const code = String((Object(error) as { code?: unknown }).code)
  return ['EMFILE', 'ENFILE'].includes(code) || (code === 'ERR_MODULE_NOT_FOUND' && allowedFiles() < fewFiles)
}

function allowedFiles(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  return Number(userLimits?.open_files?.soft ?? Number.POSITIVE_INFINITY)
}

/** The problem and the fix, for operators. */
export const tooManyFiles =
  'The limit on open files is too low. Allow at least 4096: `ulimit -n 4096` in a shell, LimitNOFILE=4096 in a systemd unit.'
