import { batcher } from '#platform/db/batcher'
import type { Database } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** A live session and its member: the caller of an endpoint, without the facts of a `validate` response. */
export interface SessionCaller {
  readonly id: string
  /** Null for an admin session. */
  readonly projectId: string | null
  readonly serverId: string
  readonly memberId: string
  readonly username: string
}

/**
 * Creates a function that reads the caller of a session by the digest of its token, many in one statement. It returns
 * undefined if the session is not live.
 */
export const sessionCallersReader = (db: Pick<Database, 'batched' | 'maxBatchesAtOnce'>) =>
  batcher(async (tokenDigests: string[]): Promise<(SessionCaller | undefined)[]> => {
    const rows = await db.batched<SessionCaller & { readonly n: number }>(sql`
      select q.n::int as n, l.id, l.project_id as "projectId", l.server_id as "serverId", l.member_id as "memberId",
        u.username
      from unnest(${tokenDigests}::text[]) with ordinality as q (token_digest, n)
      cross join lateral (
        select s.id, s.project_id, s.server_id, s.member_id from live_sessions s where s.token_digest = q.token_digest
        offset 0) l
      join members u on u.id = l.member_id`)
    const found: (SessionCaller | undefined)[] = tokenDigests.map(() => undefined)
    for (const { n, ...caller } of rows) found[n - 1] = caller
    return found
  }, db.maxBatchesAtOnce)
