/**
 * The position of a reader of the outbox: it has everything up to this row, in the order of (xid, id). With the ID 0,
 * it has everything of the transactions before this one.
 */
export interface Position {
  readonly xid: bigint
  readonly id: number
}

/** True if a reader at `a` has everything that a reader at `b` has. */
export const isAtLeast = (a: Position, b: Position) => a.xid > b.xid || (a.xid === b.xid && a.id >= b.id)

/** A position as clients store it, with its time. */
export interface Mark extends Position {
  readonly atSec: number
}

/** Formats a position as the `id` of an event. */
export const toEventId = ({ xid, id, atSec }: Mark) => `${xid}-${id}-${atSec.toString(36)}`

/** Parses an ID that a client sends back; returns undefined if this service did not issue it. */
export function parseEventId(text: string): Mark | undefined {
  const [, xid, id, at] = /^(\d{1,18})-(\d{1,15})-([0-9a-z]{1,8})$/.exec(text) ?? []
  if (xid === undefined || id === undefined || at === undefined) return undefined
  return { xid: BigInt(xid), id: Number(id), atSec: Number.parseInt(at, 36) }
}
