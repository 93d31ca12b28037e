import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** A sign-in that waits for its confirmation, in a browser that holds these secrets. */
export interface ConfirmationClaim {
  readonly requestDigest: string
  readonly browserDigests: readonly string[]
}

/** The project of these sign-ins: none, because they are to the administration. */
const administration = null

const isWaiting = ({ requestDigest, browserDigests }: ConfirmationClaim) => sql`
  c.digest = ${requestDigest} and c.browser_digest = any(${browserDigests}::text[])
  and c.used_at is null and c.expires_at > clock_now()`

export interface WaitingLogin {
  readonly username: string
  readonly name: string
  /** Contains the state of the command line in its query. */
  readonly redirectUri: string
}

/** Finds the sign-in that a confirmation page is about. */
export const findWaitingLogin = (db: Queryable, claim: ConfirmationClaim) =>
  db.maybeOne<WaitingLogin>(sql`
    select m.username, coalesce(m.preferred_name, m.global_name, m.username) as name, c.redirect_uri as "redirectUri"
    from authorization_codes c join members m on m.id = c.member_id
    where c.project_id is not distinct from ${administration}::uuid and ${isWaiting(claim)}`)

/**
 * Turns a waiting sign-in into a code. The digest changes, so exactly one of two simultaneous confirmations succeeds.
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

/** Deletes a waiting sign-in. */
export const cancelWaitingLogin = (db: Queryable, claim: ConfirmationClaim) =>
  db.maybeOne<Pick<WaitingLogin, 'redirectUri'>>(sql`
    delete from authorization_codes c
    where c.project_id is not distinct from ${administration}::uuid and ${isWaiting(claim)}
    returning c.redirect_uri as "redirectUri"`)
