import { batcher } from '#platform/db/batcher'
import type { Database } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** The member of a live session, and the session's place. Identifies a caller without the facts of a response. */
export interface SessionCaller {
  readonly id: string
  /** Null for an admin session. */
  readonly projectId: string | null
  readonly serverId: string
  readonly memberId: string
  readonly username: string
}

/** Reads the callers of many session tokens in one snapshot, by their digests. Returns undefined if none is live. */
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
