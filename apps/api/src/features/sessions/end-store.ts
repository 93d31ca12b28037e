import type { Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

export const deleteOpenRequests = (tx: Tx) => tx.execute(sql`delete from auth_requests where used_at is null`)

export const deleteSsoSessions = (tx: Tx) => tx.execute(sql`delete from sso_sessions`)

export const deleteOpenCodes = (tx: Tx) =>
  tx.execute(sql`delete from authorization_codes where used_at is null`)

export const revokeLiveSessions = (tx: Tx) =>
  tx.execute(sql`
    update sessions set revoked_at = clock_now(), revoked_reason = 'revoked' 
    where revoked_at is null and expires_at > clock_now()`)
