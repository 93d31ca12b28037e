import { heldElsewhere } from '#platform/db/batcher'
import type { Queryable } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'

/** A new token, as it is stored: without its value. */
export interface NewToken {
  readonly digest: string
  readonly payload: string
  readonly ttlSec: number
}

/** A presented code or refresh token as a digest, and the new tokens that replace it. */
export interface Redemption {
  readonly digest: string
  readonly accessToken: NewToken
  readonly refreshToken: NewToken | undefined
}

/** Builds the steps of a statement that extend the sessions of its step `used`. */
export type ExtendSteps = (ttlSec: number) => Sql

/** Determines whether a statement waits for a row that another transaction has locked, or skips it. */
type IfLocked = 'wait' | 'skip'
const skipLocked: Readonly<Record<IfLocked, Sql>> = { wait: sql``, skip: sql`skip locked` }

/**
 * Redeems codes and refresh tokens in one statement: marks each as used, extends its session, and stores the new
 * tokens. The condition `consumed_at is null` on the locked row makes them single-use: of any number of simultaneous
 * attempts, exactly one matches. Returns false if the code or token is unknown, was used, or has no live session. The
 * steps of the statement:
 *
 * - `found`, `locked`: the records, and their sessions. The sort makes PostgreSQL lock all rows before it writes the
 *   first.
 * - `used`: the records that match, now marked as used.
 * - `extended`, `active`: the steps of `extendSessions`, which extend the sessions of `used`.
 * - `stored`: the new tokens.
 *
 * With `skip`, skips each row that another transaction has locked, and returns `heldElsewhere` for it. With `wait`,
 * waits for the row.
 */
export async function redeemRecords(
  query: Queryable['query'],
  redemptions: readonly Redemption[],
  { extendSessions, ifLocked }: { readonly extendSessions: Sql; readonly ifLocked: IfLocked },
): Promise<(boolean | typeof heldElsewhere)[]> {
  const tokens = (of: 'accessToken' | 'refreshToken') => {
    const column = <Key extends keyof NewToken>(key: Key) => redemptions.map((one) => one[of]?.[key] ?? null)
    return sql`${column('digest')}::text[], ${column('payload')}::text[], ${column('ttlSec')}::int[]`
  }
  const rows = await query<{ n: number; isRedeemed: boolean }>(sql`
    with asked as (
      select * from unnest(${redemptions.map(({ digest }) => digest)}::text[],
        ${tokens('accessToken')}, ${tokens('refreshToken')}) with ordinality
        as q (digest, access_digest, access_payload, access_ttl_sec, refresh_digest, refresh_payload, refresh_ttl_sec, n)),
    found as (
      select q.*, r.session_id, r.consumed_at is null as is_unused from asked q cross join lateral (
        select * from oidc_records r where r.digest = q.digest
        for no key update ${skipLocked[ifLocked]}) r
      order by q.digest),
    locked as (
      select q.*, q.is_unused and s.revoked_at is null and s.expires_at > clock_now() as fits
      from found q cross join lateral (
        select * from sessions s where s.id = q.session_id
        for no key update ${skipLocked[ifLocked]}) s
      order by q.session_id),
    used as (
      update oidc_records r set consumed_at = clock_now() from locked q where q.fits and r.digest = q.digest
      returning q.*),
    ${extendSessions},
    stored as (
      insert into oidc_records (digest, model, session_id, payload, expires_at)
      select t.digest, t.model, u.session_id, t.payload, clock_now() + t.ttl_sec * interval '1 second'
      from used u cross join lateral (values
        ('AccessToken', u.access_digest, u.access_payload, u.access_ttl_sec),
        ('RefreshToken', u.refresh_digest, u.refresh_payload, u.refresh_ttl_sec)) t (model, digest, payload, ttl_sec)
      where t.digest is not null)
    select n, true as "isRedeemed" from used
    union all
    select n, false from asked q
    where n not in (select n from locked) and exists (select from oidc_records r where r.digest = q.digest)`)
  const outcomes: (boolean | typeof heldElsewhere)[] = redemptions.map(() => false)
  for (const { n, isRedeemed } of rows) outcomes[n - 1] = isRedeemed || heldElsewhere
  return outcomes
}
