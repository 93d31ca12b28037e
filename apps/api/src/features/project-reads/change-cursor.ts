/** Which transactions a reader has seen: all before `end`, except those in `running`. */
export interface Seen {
  readonly end: bigint
  readonly running: readonly bigint[]
}

/** A page in the middle of what changed between two looks. */
export interface ChangePage {
  /** Pages stop at what was to be seen when the first of them was read, or they would never end. */
  readonly until: Seen
  readonly xid: string
  readonly memberId: string
}

export interface ChangeCursor {
  readonly seen: Seen
  /** Undefined when all that was seen has been told. */
  readonly page: ChangePage | undefined
  /** How often memberships were deleted before it: a deletion is told by no row. */
  readonly deletions: number
}

/** A cursor is part of an address, so it names few; the contract's pattern counts on this. */
const maxRunning = 50

/** Reads PostgreSQL's pg_snapshot, "xmin:xmax:running,running". */
export function seenIn(snapshot: string): Seen {
  const [, end = '0', running = ''] = snapshot.split(':')
  return shorten({ end: BigInt(end), running: running === '' ? [] : running.split(',').map(BigInt) })
}

/** Whoever saw more than fits is said to have seen less: they are told something twice, and miss nothing. */
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

/** Reads what `formatChangeCursor` wrote, or anything else of the contract's pattern. */
export function parseChangeCursor(text: string): ChangeCursor {
  const [places = '', deletions = '0'] = text.split('-')
  const [seen = '', until, xid = '', memberId = ''] = places.split('_')
  return {
    seen: parseSeen(seen),
    page: until === undefined ? undefined : { until: parseSeen(until), xid, memberId },
    deletions: Number(deletions),
  }
}
