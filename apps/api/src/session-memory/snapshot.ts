/** PostgreSQL's pg_snapshot, "xmin:xmax:running,running": from xmax on nothing was to be seen. */
interface Snapshot {
  readonly end: bigint
  readonly running: ReadonlySet<string>
}

function parse(text: string): Snapshot {
  const [, end = '0', running = ''] = text.split(':')
  return { end: BigInt(end), running: new Set(running === '' ? [] : running.split(',')) }
}

/** Returns true for text that PostgreSQL accepts as pg_snapshot: the transactions ascend from the first to the end. */
export function isSnapshot(text: string): boolean {
  const [, first, end, running = ''] =
    /^(\d{1,19}):(\d{1,19}):((?:\d{1,19}(?:,\d{1,19})*)?)$/.exec(text) ?? []
  if (first === undefined || end === undefined) return false
  const ids = [first, ...(running === '' ? [] : running.split(','))].map(BigInt)
  const ascends = ids.every((id, i) => i === 0 || id >= (ids[i - 1] ?? id))
  return ascends && ids.every((id, i) => (i === 0 ? 0n < id && id <= BigInt(end) : id < BigInt(end)))
}

/** Returns true if everything visible in `earlier` is visible in `later`. */
export function covers(later: string, earlier: string): boolean {
  const [above, below] = [parse(later), parse(earlier)]
  if (above.end < below.end) return false
  for (const xid of above.running) {
    if (BigInt(xid) < below.end && !below.running.has(xid)) return false
  }
  return true
}

/**
 * Returns the parts of a snapshot that define the invisible transactions: the first later transaction, and the earlier
 * transactions that were running.
 */
export function unseenIn(text: string): { readonly end: string; readonly running: string } {
  const [, end = '0', running = ''] = text.split(':')
  return { end, running: `{${running}}` }
}
