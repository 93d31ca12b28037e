import type { Log } from '#platform/log'

/** Every instance writes more often than this: when no write was refused for so long there is room again. */
const quietMs = 10_000

export interface FullDisk {
  /** A write was refused because the disk is full. */
  met(): void
  isFull(): boolean
  close(): void
}

/**
 * A full disk is known only by the writes that meet it: what reads does not, and a write that succeeds is no proof that there
 * is room, because it may have fitted into a page that is there. Its begin and its end are logged once, here.
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
      log.warn('database disk full, what writes is answered 503')
      quiet = setTimeout(end, quietMs).unref()
    },
    isFull: () => quiet !== undefined,
    close: () => clearTimeout(quiet),
  }
}
