/** PostgreSQL's pg_snapshot, "xmin:xmax:running,running": from xmax on nothing was to be seen. */
interface Snapshot {
  readonly end: bigint
  readonly running: ReadonlySet<string>
}

function parse(text: string): Snapshot {
  const [, end = '0', running = ''] = text.split(':')
  return { end: BigInt(end), running: new Set(running === '' ? [] : running.split(',')) }
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
 * Returns the parts of a snapshot that define the invisible transactions: the first of all later ones, and the earlier
 * ones that were running.
 */
export function unseenIn(text: string): { readonly end: string; readonly running: string } {
  const [, end = '0', running = ''] = text.split(':')
  return { end, running: `{${running}}` }
}
