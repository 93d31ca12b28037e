/** The transactions that a reader has seen: all before `end`, except those in `running`. */
export interface Seen {
  readonly end: bigint
  readonly running: readonly bigint[]
}

/** A page in the middle of the changes between two reads. */
export interface ChangePage {
  /** The limit of all pages: the state at the time of the first one. Without it, paging might never end. */
  readonly until: Seen
  readonly xid: string
  readonly memberId: string
}

export interface ChangeCursor {
  readonly seen: Seen
  /** Undefined once all changes up to the limit have been returned. */
  readonly page: ChangePage | undefined
  /** The number of deleted memberships before it: a deletion leaves no row to return. */
  readonly deletions: number
}

/** A cursor is part of an address, so it lists few transactions; the contract's pattern relies on this. */
const maxRunning = 50

/** Parses PostgreSQL's pg_snapshot, "xmin:xmax:running,running". */
export function seenIn(snapshot: string): Seen {
  const [, end = '0', running = ''] = snapshot.split(':')
  return shorten({ end: BigInt(end), running: running === '' ? [] : running.split(',').map(BigInt) })
}

/**
 * Shortens a list that is too long by claiming an earlier state. The reader then gets some changes twice, but misses no
 * change.
 */
function shorten({ end, running }: Seen): Seen {
  const firstLeftOut = running[maxRunning]
  return { end: firstLeftOut ?? end, running: running.slice(0, maxRunning) }
}

const formatSeen = ({ end, running }: Seen) => [end, ...running.map((xid) => end - xid)].join('.')

function parseSeen(text: string): Seen {
  const [end = 0n, ...before] = text.split('.').map(BigInt)
  return { end, running: before.map((distance) => end - distance) }
}

export function formatChangeCursor({ seen, page, deletions }: ChangeCursor): string {
  const parts = page ? [formatSeen(page.until), page.xid, page.memberId] : []
  return [formatSeen(seen), ...parts].join('_') + (deletions === 0 ? '' : `-${deletions}`)
}

/** Parses the output of `formatChangeCursor`, or any other text that matches the contract's pattern. */
export function parseChangeCursor(text: string): ChangeCursor {
  const [places = '', deletions = '0'] = text.split('-')
  const [seen = '', until, xid = '', memberId = ''] = places.split('_')
  return {
    seen: parseSeen(seen),
    page: until === undefined ? undefined : { until: parseSeen(until), xid, memberId },
    deletions: Number(deletions),
  }
}
