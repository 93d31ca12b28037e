/** A process that may open fewer files cannot load the service. */
const fewFiles = 256

/**
 * True when the process, or the system, has no room for another open file or connection. Node.js takes the manifest of a
 * package for missing if it cannot open it, so a module that is not found counts where few files are allowed.
 */
export function isTooManyFiles(error: unknown): boolean {
  const code = String((Object(error) as { code?: unknown }).code)
  return ['EMFILE', 'ENFILE'].includes(code) || (code === 'ERR_MODULE_NOT_FOUND' && allowedFiles() < fewFiles)
}

function allowedFiles(): number {
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  return Number(userLimits?.open_files?.soft ?? Number.POSITIVE_INFINITY)
}

/** For operators. */
export const tooManyFiles =
  'This process may not open enough files. Allow at least 4096: `ulimit -n 4096` in a shell, LimitNOFILE=4096 in a systemd unit.'
