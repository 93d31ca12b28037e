/** The part that matters here of PostgreSQL's `pg_snapshot`, which has the text form `xmin:xmax:xip,xip`. */
interface Snapshot {
  /** The `xmax`. This transaction and all later ones are invisible in the snapshot. */
  readonly end: bigint
  /** The earlier transactions that are invisible, because they were running at the time. */
  readonly running: ReadonlySet<string>
}

function parse(text: string): Snapshot {
  const [, end = '0', running = ''] = text.split(':')
  return { end: BigInt(end), running: new Set(running === '' ? [] : running.split(',')) }
}

/**
 * Returns true if PostgreSQL accepts the text as a `pg_snapshot`: its transaction IDs must ascend from `xmin` to
 * `xmax`.
 */
export function isSnapshot(text: string): boolean {
  const [, first, end, running = ''] =
    /^(\d{1,19}):(\d{1,19}):((?:\d{1,19}(?:,\d{1,19})*)?)$/.exec(text) ?? []
  if (first === undefined || end === undefined) return false
  const ids = [first, ...(running === '' ? [] : running.split(','))].map(BigInt)
  const ascends = ids.every((id, i) => i === 0 || id >= (ids[i - 1] ?? id))
  return ascends && ids.every((id, i) => (i === 0 ? 0n < id && id <= BigInt(end) : id < BigInt(end)))
}

/** Returns true if every transaction that is visible in `earlier` is visible in `later`, too. */
export function covers(later: string, earlier: string): boolean {
  const [above, below] = [parse(later), parse(earlier)]
  if (above.end < below.end) return false
  for (const xid of above.running) {
    if (BigInt(xid) < below.end && !below.running.has(xid)) return false
  }
  return true
}

/**
 * Returns the two parts of a snapshot that a statement needs to select the invisible transactions: the first one after
 * the snapshot, and an array of the earlier ones that were running.
 */
export function invisibleIn(text: string): { readonly end: string; readonly running: string } {
  const [, end = '0', running = ''] = text.split(':')
  return { end, running: `{${running}}` }
}
