import type { Position } from './store.ts'

/** The `id` of an event: where whoever has it goes on. */
export const toEventId = ({ auditSeq, xid, atMs }: Position) => `${auditSeq}-${xid}-${atMs.toString(36)}`

/** Reads an id that a client sends back; undefined when it is none of ours. */
export function parseEventId(text: string): Position | undefined {
  const [, auditSeq, xid, at] = /^(\d{1,15})-(\d{1,18})-([0-9a-z]{1,10})$/.exec(text) ?? []
  if (auditSeq === undefined || xid === undefined || at === undefined) return undefined
  return { auditSeq: Number(auditSeq), xid: BigInt(xid), atMs: Number.parseInt(at, 36) }
}

/** An id is good for an hour: whoever was away for longer reads everything anew, which is quicker. */
const idLifeMs = 60 * 60_000
/** Clocks of a database that failed over may differ. */
const clockSlackMs = 60_000

/** Why a client cannot go on from an id. */
export function whyNotResumable(
  last: Position | undefined,
  present: Position,
): 'unknown_id' | 'too_far_behind' | undefined {
  if (!last || last.auditSeq > present.auditSeq || last.xid > present.xid) return 'unknown_id'
  if (last.atMs > present.atMs + clockSlackMs) return 'unknown_id'
  return present.atMs - last.atMs > idLifeMs ? 'too_far_behind' : undefined
}
