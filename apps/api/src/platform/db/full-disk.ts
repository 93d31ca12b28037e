import type { Log } from '#platform/log'

/** The time without a refused write after which the disk counts as free, because every instance writes more often. */
const quietMs = 10_000

export interface FullDisk {
  /** Records that a write was refused because the disk is full. */
  met(): void
  isFull(): boolean
  close(): void
}

/**
 * Tracks whether the disk is full, by the writes that fail. A successful write does not prove free space, because it
 * may have fitted into an existing page. Logs the beginning and the end once.
 */
export function createFullDisk(log: Pick<Log, 'info' | 'warn'>): FullDisk {
  let quiet: NodeJS.Timeout | undefined
  const end = () => {
    quiet = undefined
    log.info('database disk no longer full: no write was refused for 10 s')
  }
  return {
    met() {
      if (quiet) return void quiet.refresh()
      log.warn('database disk full: writes return 503')
      quiet = setTimeout(end, quietMs).unref()
    },
    isFull: () => quiet !== undefined,
    close: () => clearTimeout(quiet),
  }
}
