import type { Position } from './store.ts'

/** Formats a position as the `id` of an event, from which a client resumes. */
export const toEventId = ({ auditSeq, xid, atMs }: Position) => `${auditSeq}-${xid}-${atMs.toString(36)}`

/** Parses an ID that a client sends back. Returns undefined if it does not have the form of an event ID. */
export function parseEventId(text: string): Position | undefined {
  const [, auditSeq, xid, at] = /^(\d{1,15})-(\d{1,18})-([0-9a-z]{1,10})$/.exec(text) ?? []
  if (auditSeq === undefined || xid === undefined || at === undefined) return undefined
  return { auditSeq: Number(auditSeq), xid: BigInt(xid), atMs: Number.parseInt(at, 36) }
}

/** The lifetime of an ID: one hour. After a longer absence, it is faster for a client to read everything again. */
const idLifeMs = 60 * 60_000
/** The maximum difference between the clocks of a database server and the standby that replaces it. */
const clockSlackMs = 60_000

/**
 * Returns the reason why a client cannot resume from an ID, or undefined if it can. An ID is unknown if it is malformed
 * or in the future, because the database was restored to an earlier state.
 */
export function whyNotResumable(
  last: Position | undefined,
  present: Position,
): 'unknown_id' | 'too_far_behind' | undefined {
  if (!last || last.auditSeq > present.auditSeq || last.xid > present.xid) return 'unknown_id'
  if (last.atMs > present.atMs + clockSlackMs) return 'unknown_id'
  return present.atMs - last.atMs > idLifeMs ? 'too_far_behind' : undefined
}
