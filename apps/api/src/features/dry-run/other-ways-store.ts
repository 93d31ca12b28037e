import { mainServerId } from '#mirror/read-servers'
import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'
import type { Reach } from '../../deps.ts'
import type { Place } from './store.ts'

/** A project and a server in which the project has sessions by OpenID Connect. */
export interface ClientPlace extends Place {
  readonly projectId: string
  /** True if the client can authenticate: it has a server and, unless it is public, a secret. */
  readonly isUsable: boolean
}

/** Lists the places within a reach in which projects can have sessions by OpenID Connect. */
export const listClientPlaces = (
  db: Queryable,
  { projectId, serverId }: Reach,
  configuredServerId: string | undefined,
) =>
  db.query<ClientPlace>(sql`
    select r.project_id as "projectId", r.server_id as "serverId",
      (c.is_public or exists (select from working_keys k where k.project_id = p.id))
        and coalesce(c.server_id, ${mainServerId},
          ${configuredServerId ?? null}) is not null as "isUsable"
    from oidc_clients c join projects p on p.id = c.project_id join readable_servers r on r.project_id = p.id
    where c.enabled and p.deleted_at is null and p.deactivated_at is null
      and (${projectId ?? null}::uuid is null or r.project_id = ${projectId ?? null}::uuid)
      and (${serverId ?? null}::text is null or r.server_id = ${serverId ?? null}::text)`)

/** Lists the projects whose client has an address for logout tokens, even if OpenID Connect is off for the project. */
export const listAddressed = async (db: Queryable, { projectId }: Reach): Promise<string[]> =>
  (
    await db.query<{ projectId: string }>(sql`
      select project_id as "projectId" from oidc_clients
      where backchannel_logout_uri is not null
        and (${projectId ?? null}::uuid is null or project_id = ${projectId ?? null}::uuid)`)
  ).map((row) => row.projectId)

/** Lists the protected hosts within a reach, each as text with its server: `wiki.example.org 123…`. */
export const listHosts = async (
  db: Queryable,
  { projectId, serverId }: Reach,
  configuredServerId: string | undefined,
): Promise<string[]> =>
  (
    await db.query<{ host: string; serverId: string }>(sql`
      select h.host, r.server_id as "serverId"
      from forward_auth_hosts h join forward_auth f on f.project_id = h.project_id
      join projects p on p.id = f.project_id and p.deleted_at is null and p.deactivated_at is null
      join readable_servers r on r.project_id = p.id and r.server_id = coalesce(f.server_id,
        ${mainServerId}, ${configuredServerId ?? null})
      where (${projectId ?? null}::uuid is null or p.id = ${projectId ?? null}::uuid)
        and (${serverId ?? null}::text is null or r.server_id = ${serverId ?? null}::text)`)
  ).map((row) => `${row.host} ${row.serverId}`)
