/**
 * The position of a reader of the outbox, in the order of (xid, id). `xid` is the transaction that wrote an event, and
 * `id` the event's row. The reader has all events up to this row. With the ID 0, it has all events of the transactions
 * before `xid`, and none of `xid` itself.
 */
export interface Position {
  readonly xid: bigint
  readonly id: number
}

/** Returns true if a reader at `a` has every event that a reader at `b` has. */
export const isAtLeast = (a: Position, b: Position) => a.xid > b.xid || (a.xid === b.xid && a.id >= b.id)

/** A position with its time in Unix seconds, as event IDs contain it. */
export interface Mark extends Position {
  readonly atSec: number
}

/** Formats a position as the `id` of an event. */
export const toEventId = ({ xid, id, atSec }: Mark) => `${xid}-${id}-${atSec.toString(36)}`

/** Parses an ID that a client sends back. Returns undefined if it does not have the form of an event ID. */
export function parseEventId(text: string): Mark | undefined {
  const [, xid, id, at] = /^(\d{1,18})-(\d{1,15})-([0-9a-z]{1,8})$/.exec(text) ?? []
  if (xid === undefined || id === undefined || at === undefined) return undefined
  return { xid: BigInt(xid), id: Number(id), atSec: Number.parseInt(at, 36) }
}
