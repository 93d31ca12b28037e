import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** Identifies a sign-in that waits for its confirmation. One of the browser's secrets must match. */
export interface ConfirmationClaim {
  readonly requestDigest: string
  readonly browserDigests: readonly string[]
}

/** The project of these sign-ins, which have none. */
const administration = null

/** Matches a row `c` of the table of codes that waits for its confirmation in this browser. */
const isWaiting = ({ requestDigest, browserDigests }: ConfirmationClaim) => sql`
  c.digest = ${requestDigest} and c.browser_digest = any(${browserDigests}::text[])
  and c.used_at is null and c.expires_at > clock_now()`

/** A sign-in that waits for its confirmation, as the page shows it. */
export interface WaitingLogin {
  readonly username: string
  /** The name that the member prefers, or the name at Discord. */
  readonly name: string
  /** The address of the command line. Its query contains the `state`. */
  readonly redirectUri: string
}

/** Returns the sign-in of a confirmation page, or undefined if it does not wait for this browser. */
export const findWaitingLogin = (db: Queryable, claim: ConfirmationClaim) =>
  db.maybeOne<WaitingLogin>(sql`
    select m.username, coalesce(m.preferred_name, m.global_name, m.username) as name, c.redirect_uri as "redirectUri"
    from authorization_codes c join members m on m.id = c.member_id
    where c.project_id is not distinct from ${administration}::uuid and ${isWaiting(claim)}`)

/**
 * Turns a waiting sign-in into a code with this digest and lifetime. Exactly one of two simultaneous confirmations
 * succeeds, because the digest changes. Returns undefined if nothing waits for this browser.
 */
export const confirmWaitingLogin = (
  db: Queryable,
  claim: ConfirmationClaim,
  { digest, ttlSec }: { readonly digest: string; readonly ttlSec: number },
) =>
  db.maybeOne<Pick<WaitingLogin, 'redirectUri'>>(sql`
    update authorization_codes c set digest = ${digest}, expires_at = clock_now() + ${ttlSec}::int * interval '1 second'
    where c.project_id is not distinct from ${administration}::uuid and ${isWaiting(claim)}
    returning c.redirect_uri as "redirectUri"`)

/** Deletes a waiting sign-in. Returns undefined if nothing waits for this browser. */
export const cancelWaitingLogin = (db: Queryable, claim: ConfirmationClaim) =>
  db.maybeOne<Pick<WaitingLogin, 'redirectUri'>>(sql`
    delete from authorization_codes c
    where c.project_id is not distinct from ${administration}::uuid and ${isWaiting(claim)}
    returning c.redirect_uri as "redirectUri"`)
