import type { Departure } from '#mirror/write-members'
import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

// The first four statements are the steps of `endEverything`, in its order.

export const deleteOpenRequests = (tx: Tx) => tx.execute(sql`delete from auth_requests where used_at is null`)

/** Locks the single sign-ons first, in the same order as the sign-outs of members, to prevent deadlocks. */
export async function deleteSsoSessions(tx: Tx): Promise<number> {
  await tx.execute(sql`select from sso_sessions order by id for update`)
  return tx.execute(sql`delete from sso_sessions`)
}

export const deleteOpenCodes = (tx: Tx) =>
  tx.execute(sql`delete from authorization_codes where used_at is null`)

export const revokeSessionsOfEverybody = (tx: Tx) =>
  tx.execute(sql`
    update sessions set revoked_at = clock_now(), revoked_reason = 'revoked'
    where revoked_at is null and expires_at > clock_now()`)

/**
 * Returns true if anything exists that `endEverything` would end, and that could therefore admit a member without a new
 * sign-in.
 */
export const hasActiveSignIns = async (db: Queryable): Promise<boolean> =>
  (await db.maybeOne(sql`
    select where exists (select from sessions where revoked_at is null and expires_at > clock_now())
      or exists (select from sso_sessions)
      or exists (select from authorization_codes where used_at is null)
      or exists (select from auth_requests where used_at is null)`)) !== undefined

/** Revokes the live sessions of members in the servers that they left. Returns one row for each session. */
export const revokeSessionsOfDeparted = (tx: Tx, departures: readonly Departure[]) =>
  tx.query<Departure>(sql`
    update sessions s set revoked_at = clock_now(), revoked_reason = 'member_left'
    from unnest(${departures.map(({ serverId }) => serverId)}::text[],
      ${departures.map(({ memberId }) => memberId)}::text[]) as x (server_id, member_id)
    where s.server_id = x.server_id and s.member_id = x.member_id and s.revoked_at is null
      and s.expires_at > clock_now()
    returning s.server_id as "serverId", s.member_id as "memberId"`)

/**
 * Revokes a project's sessions with clients whose metadata document is on a host that is not in `hosts`. Returns the
 * number of sessions.
 */
export const revokeSessionsOfOtherHosts = (tx: Tx, projectId: string, hosts: readonly string[]) =>
  tx.execute(sql`
    update sessions s set revoked_at = clock_now(), revoked_reason = 'revoked'
    where s.project_id = ${projectId} and s.revoked_at is null and s.expires_at > clock_now() and exists (
      select from oidc_sessions o
      where o.session_id = s.id and o.client_id is not null
        and split_part(o.client_id, '/', 3) <> all(${hosts}::text[]))`)

/**
 * Revokes the sessions in a removed server. They are not live without the server anyway, but they must not become live
 * again if it is added again.
 */
export const revokeSessionsOfServer = (tx: Tx, serverId: string) =>
  tx.execute(sql`
    update sessions set revoked_at = clock_now(), revoked_reason = 'server_removed'
    where server_id = ${serverId} and revoked_at is null and expires_at > clock_now()`)
