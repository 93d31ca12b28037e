/** The transactions that a reader has seen: all before `end`, except those in `running`, which were in progress. */
export interface Seen {
  readonly end: bigint
  readonly running: readonly bigint[]
}

/** The position within a list of changes that has several pages. */
export interface ChangePage {
  /** The state at the time of the first page, which all pages share. Without this limit, paging might never end. */
  readonly until: Seen
  /** The transaction and the member of the last returned change. */
  readonly xid: string
  readonly memberId: string
}

/** The state of a reader that polls the changes of a server's members. */
export interface ChangeCursor {
  readonly seen: Seen
  /** Undefined after the last page. */
  readonly page: ChangePage | undefined
  /**
   * The number of deleted memberships. If it has changed, the cursor is invalid: a deletion leaves no row to return.
   */
  readonly deletions: number
}

/** The maximum number of transactions in a cursor, which is part of an address. The contract's pattern relies on it. */
const maxRunning = 50

/** Parses a `pg_snapshot` of PostgreSQL: `xmin:xmax:running,running`. */
export function seenIn(snapshot: string): Seen {
  const [, end = '0', running = ''] = snapshot.split(':')
  return shorten({ end: BigInt(end), running: running === '' ? [] : running.split(',').map(BigInt) })
}

/**
 * Shortens a list of transactions that is too long, by returning an earlier state. The reader then gets some changes
 * twice, but misses none.
 */
function shorten({ end, running }: Seen): Seen {
  const firstLeftOut = running[maxRunning]
  return { end: firstLeftOut ?? end, running: running.slice(0, maxRunning) }
}

/** Formats the state as numbers. The transactions in progress are distances to `end`, which are shorter. */
const formatSeen = ({ end, running }: Seen) => [end, ...running.map((xid) => end - xid)].join('.')

function parseSeen(text: string): Seen {
  const [end = 0n, ...before] = text.split('.').map(BigInt)
  return { end, running: before.map((distance) => end - distance) }
}

/** Formats a cursor: `seen`, or `seen_until_xid_memberId`, followed by `-deletions` if there are any. */
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
