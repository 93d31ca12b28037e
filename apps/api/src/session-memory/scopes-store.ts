import { batcher } from '#platform/db/batcher'
import type { Database } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** A project and a server. The question is which scopes the project has there. */
export interface ScopeItem {
  readonly projectId: string
  readonly serverId: string
}

/** The access of a project to a server. `isReadable` is true if the project may read the server at all. */
export interface ScopeRow {
  readonly isReadable: boolean
  /**
   * True if the access was granted with explicit scopes. False for an internal project, which has every scope in the
   * main server.
   */
  readonly isMapped: boolean
  readonly scopes: readonly string[]
}

/** Creates a function that reads the scopes of many items in one statement. */
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
