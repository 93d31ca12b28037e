import type { SessionTurn } from '#chat/chat-gateway'
import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** Of two reset times within this, the platform means the same one. */
const sameReset = '1 minute'

/** Takes a lane until its next turn; false while another one has it. */
export const takeLane = async (tx: Tx, { lane, everyMs }: SessionTurn): Promise<boolean> =>
  (await tx.execute(sql`
    insert into gateway_lanes as l (lane, free_at)
    values (${lane}, clock_now() + ${everyMs} * interval '1 millisecond')
    on conflict (lane) do update set free_at = excluded.free_at where l.free_at <= clock_now()`)) > 0

/** How long a lane is taken. */
export const laneWaitMs = async (db: Queryable, lane: number): Promise<number> => {
  const row = await db.maybeOne<{ waitMs: number }>(sql`
    select extract(epoch from free_at - clock_now())::float8 * 1000 as "waitMs"
    from gateway_lanes where lane = ${lane}`)
  return Math.max(0, row?.waitMs ?? 0)
}

/**
 * Takes over what the platform says is left. Within one count of the platform's the least holds: a session is counted here before it is
 * begun, and what the platform says may be older.
 */
export const noteStarts = (tx: Tx, { remaining, resetInMs }: NonNullable<SessionTurn['told']>) =>
  tx.execute(sql`
    insert into gateway_starts as s (remaining, reset_at)
    values (${remaining}, clock_now() + ${resetInMs} * interval '1 millisecond')
    on conflict (is_only) do update set reset_at = excluded.reset_at, remaining =
      case when s.reset_at <= clock_now() or excluded.reset_at > s.reset_at + ${sameReset}::interval
        then excluded.remaining else least(s.remaining, excluded.remaining) end
    where excluded.reset_at > clock_now()`)

/** Counts a session that is about to begin. False when none is left; true also where the platform has not said. */
export const takeStart = async (tx: Tx): Promise<boolean> => {
  const row = await tx.maybeOne<{ isTaken: boolean }>(sql`
    with taken as (
      update gateway_starts set remaining = greatest(remaining - 1, 0)
      where remaining > 0 or reset_at <= clock_now() returning remaining)
    select exists (select from taken) or not exists (select from gateway_starts) as "isTaken"`)
  return row?.isTaken ?? false
}

/** How long until the platform's count begins anew. */
export const resetWaitMs = async (db: Queryable): Promise<number> => {
  const row = await db.maybeOne<{ waitMs: number }>(sql`
    select extract(epoch from reset_at - clock_now())::float8 * 1000 as "waitMs" from gateway_starts`)
  return Math.max(0, row?.waitMs ?? 0)
}
