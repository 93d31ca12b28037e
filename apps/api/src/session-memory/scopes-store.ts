import { batcher } from '#platform/db/batcher'
import type { Database } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** A project and a server of which the scopes are requested. */
export interface ScopeItem {
  readonly projectId: string
  readonly serverId: string
}

/** The access of a project to a server. */
export interface ScopeRow {
  readonly isReadable: boolean
  /** False for an internal project, which has every scope in the main server. */
  readonly isMapped: boolean
  readonly scopes: readonly string[]
}

/** Reads the scopes of many items in one snapshot. */
export const scopesReader = (db: Pick<Database, 'batched' | 'maxBatchesAtOnce'>) =>
  batcher((items: ScopeItem[]) => {
    return db.batched<ScopeRow>(sql`
      select r.project_id is not null as "isReadable", a.project_id is not null as "isMapped",
        coalesce(a.scopes, '{}') as scopes
      from unnest(${items.map(({ projectId }) => projectId)}::uuid[],
        ${items.map(({ serverId }) => serverId)}::text[]) with ordinality as q (project_id, server_id, n)
      left join readable_servers r on r.project_id = q.project_id and r.server_id = q.server_id
      left join server_access a on a.project_id = q.project_id and a.server_id = q.server_id
      order by q.n`)
  }, db.maxBatchesAtOnce)
