import type { Log } from '#platform/log'

/** Every instance writes more often than this. If no write was refused for this time, the disk has room again. */
const quietMs = 10_000

export interface FullDisk {
  /** A write was refused because the disk is full. */
  met(): void
  isFull(): boolean
  close(): void
}

/**
 * Tracks a full disk, which only shows in writes that fail: reads are unaffected, and a successful write does not
 * prove free space, because it may have fitted into an existing page. The begin and the end are logged once, here.
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
