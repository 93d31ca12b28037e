import type { Log } from '#platform/log'

/** If no write is refused for this time, the disk has space again: every instance writes more often than that. */
const quietMs = 10_000

/** Knows whether the disk of the database is full. */
export interface FullDisk {
  /** Records that a write was refused because the disk is full. */
  met(): void
  isFull(): boolean
  close(): void
}

/**
 * Creates a detector for a full disk of the database. It judges by refused writes only: a successful write proves
 * nothing, because it may have fitted into an existing page. Logs the beginning and the end once.
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
