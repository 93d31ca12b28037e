import { batcher } from '#platform/db/batcher'
import type { Database } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** The rule that decides which visitors have access to a protected host. */
export interface HostRule {
  readonly projectId: string
  /** The server whose members may have access. Null while there is no main server: then no visitor has access. */
  readonly serverId: string | null
  /** A visitor needs one of these roles. If the list is empty, every member has access. */
  readonly anyOf: readonly string[]
  /** The value of the header `Remote-User`. */
  readonly remoteUser: 'username' | 'id'
}

/**
 * Creates a function that reads the rules of hosts, many in one statement. It returns undefined for a host that no
 * project protects.
 */
export const hostRulesReader = (
  db: Pick<Database, 'batched' | 'maxBatchesAtOnce'>,
  configuredServerId: string | undefined,
) =>
  batcher(async (hosts: string[]): Promise<(HostRule | undefined)[]> => {
    const rows = await db.batched<Omit<HostRule, 'projectId'> & { projectId: string | null }>(sql`
      select r.project_id as "projectId", r.server_id as "serverId", r.any_of as "anyOf", r.remote_user as "remoteUser"
      from unnest(${hosts}::text[]) with ordinality as q (host, n)
      left join lateral (
        select f.project_id, f.any_of, f.remote_user, coalesce(f.server_id,
          (select v.id from servers v where v.is_main and v.removed_at is null),
          (select v.id from servers v where v.id = ${configuredServerId ?? null} and v.removed_at is null)) as server_id
        from forward_auth_hosts h join forward_auth f on f.project_id = h.project_id
          join projects p on p.id = f.project_id and p.deleted_at is null
        where h.host = q.host
        offset 0) r on true
      order by q.n`)
    return rows.map(({ projectId, ...rule }) => (projectId === null ? undefined : { projectId, ...rule }))
  }, db.maxBatchesAtOnce)
