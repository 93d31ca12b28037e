/** True when the process, or the system, has no room for another open file or connection. */
export const isTooManyFiles = (error: unknown): boolean =>
  ['EMFILE', 'ENFILE'].includes(String((Object(error) as { code?: unknown }).code))

/** For operators. */
export const tooManyFiles =
  'This process may not open enough files. Allow at least 4096: `ulimit -n 4096` in a shell, LimitNOFILE=4096 in a systemd unit.'
