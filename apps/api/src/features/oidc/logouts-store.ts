import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** A logout that a client is to be told of. */
export interface LogoutRow {
  readonly id: string
  readonly sessionId: string
  readonly projectId: string
  readonly memberId: string
  readonly uri: string
  /** Of the address: clients of one host are told in turn. */
  readonly host: string
  readonly attempts: number
  /** The database's clock. */
  readonly nowSec: number
}

/** Addresses are stored as `URL` writes them. */
const hostOfUri = sql`split_part(uri, '/', 3)`

/** True when there is something to tell. */
export const hasDueLogouts = async (db: Queryable, busy: readonly string[]): Promise<boolean> =>
  (await db.maybeOne(sql`
    select 1 as one from oidc_logouts
    where delivered_at is null and failed_at is null and next_attempt_at <= clock_now()
      and ${hostOfUri} <> all(${busy}::text[]) limit 1`)) !== undefined

/** Longer than one try takes. Whoever was killed is replaced after this time. */
const claim = sql`interval '15 seconds'`

/**
 * Takes logouts that are due, so that nobody else sends them meanwhile: the next try moves on with the take, and its
 * condition is repeated where the row is written. None of the hosts that are `busy`.
 */
export const takeLogouts = (db: Queryable, limit: number, busy: readonly string[]) =>
  db.query<LogoutRow>(sql`
    with due as materialized (
      select id from oidc_logouts
      where delivered_at is null and failed_at is null and next_attempt_at <= clock_now()
        and ${hostOfUri} <> all(${busy}::text[])
      order by next_attempt_at limit ${limit} for update skip locked)
    update oidc_logouts set next_attempt_at = clock_now() + ${claim}, attempts = attempts + 1,
      last_attempt_at = clock_now()
    where id in (select id from due)
      and delivered_at is null and failed_at is null and next_attempt_at <= clock_now()
    returning id, session_id as "sessionId", project_id as "projectId", member_id as "memberId", uri,
      ${hostOfUri} as host, attempts, floor(extract(epoch from clock_now()))::float8 as "nowSec"`)

/** What a try came to. */
interface Try {
  readonly id: string
  readonly status: number | null
  readonly error: string | null
}

export const settleDelivered = (db: Queryable, { id, status }: Try) =>
  db.execute(sql`
    update oidc_logouts set delivered_at = clock_now(), last_status = ${status}, last_error = null
    where id = ${id} and delivered_at is null`)

/** A try in vain: another one follows after the pause, for a day. True when that was the last one. */
export const settleLater = async (db: Queryable, { id, status, error }: Try, pauseMs: number) =>
  (
    await db.maybeOne<{ isOver: boolean }>(sql`
      update oidc_logouts set last_status = ${status}, last_error = ${error},
        next_attempt_at = clock_now() + make_interval(secs => ${pauseMs / 1_000}::float8),
        failed_at = case when queued_at <= clock_now() - interval '24 hours' then clock_now() end
      where id = ${id} and delivered_at is null and failed_at is null
      returning failed_at is not null as "isOver"`)
  )?.isOver ?? false

/** Deletes what was told, or given up, of a person who is erased; what waits is still told, or a client keeps its session. */
export const eraseLogoutDeliveries = (tx: Tx, memberId: string) =>
  tx.execute(sql`
    delete from oidc_logouts where member_id = ${memberId} and (delivered_at is not null or failed_at is not null)`)
