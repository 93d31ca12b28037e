import type { forwardAuth } from '@rolecall/contract'
import { mainServerId } from '#mirror/read-servers'
import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/**
 * Lists the protected hosts and rules of projects, as administrators see them. If a rule names no server, returns the
 * main server. A project without a rule has no hosts.
 */
export const listForwardAuth = (
  db: Queryable,
  projectIds: readonly string[],
  configuredServerId: string | undefined,
) =>
  db.query<forwardAuth.ForwardAuth & { projectId: string }>(sql`
    select p.id as "projectId", coalesce(f.any_of, '{}') as "anyOf", coalesce(f.remote_user, 'username') as "remoteUser",
      array(select h.host from forward_auth_hosts h where h.project_id = p.id order by h.place) as hosts,
      coalesce(f.server_id, ${mainServerId},
        (select v.id from servers v where v.id = ${configuredServerId ?? null} and v.removed_at is null)) as "serverId"
    from unnest(${projectIds}::uuid[]) as p (id) left join forward_auth f on f.project_id = p.id`)

/** The rule of a project as stored. */
export interface StoredRule {
  /** Null means the current main server. */
  readonly serverId: string | null
  readonly anyOf: readonly string[]
  readonly remoteUser: 'username' | 'id'
  readonly hosts: readonly string[]
}

/** Returns the rule of a project as stored, or undefined if it has none. */
export const findStoredRule = (tx: Tx, projectId: string) =>
  tx.maybeOne<StoredRule>(sql`
    select server_id as "serverId", any_of as "anyOf", remote_user as "remoteUser",
      array(select h.host from forward_auth_hosts h where h.project_id = f.project_id order by h.place) as hosts
    from forward_auth f where project_id = ${projectId}`)

export const writeRule = (tx: Tx, projectId: string, { serverId, anyOf, remoteUser }: StoredRule) =>
  tx.execute(sql`
    insert into forward_auth (project_id, server_id, any_of, remote_user)
    values (${projectId}, ${serverId}, ${anyOf}::text[], ${remoteUser})
    on conflict (project_id) do update set server_id = excluded.server_id, any_of = excluded.any_of,
      remote_user = excluded.remote_user`)

/** A protected host, with the redirect URIs of its sign-ins. */
export interface StoredHost {
  readonly host: string
  readonly callbacks: readonly string[]
}

/**
 * Replaces the hosts of a project. Takes over hosts of a deleted project. Violates the primary key if another project
 * protects one of the hosts.
 */
export async function writeHosts(tx: Tx, projectId: string, hosts: readonly StoredHost[]) {
  await tx.execute(sql`
    delete from forward_auth_hosts h where h.project_id = ${projectId} or (h.host = any(${hosts.map(({ host }) => host)}::text[])
      and exists (select from projects p where p.id = h.project_id and p.deleted_at is not null))`)
  for (const [place, { host, callbacks }] of hosts.entries()) {
    await tx.execute(sql`
      insert into forward_auth_hosts (host, project_id, callbacks, place)
      values (${host}, ${projectId}, ${callbacks}::text[], ${place})`)
  }
}

/** Lists the names of the given roles of a server, highest first. */
export const listRoleNames = async (db: Queryable, serverId: string, ids: readonly string[]) =>
  (
    await db.query<{ name: string }>(sql`
      select name from roles where server_id = ${serverId} and id = any(${ids}::text[]) order by position desc, id`)
  ).map(({ name }) => name)

/** Lists the hosts of all active projects. */
export const listProtectedHosts = async (db: Queryable): Promise<string[]> =>
  (
    await db.query<{ host: string }>(sql`
      select h.host from forward_auth_hosts h join projects p on p.id = h.project_id
      where p.deleted_at is null and p.deactivated_at is null order by h.host`)
  ).map(({ host }) => host)
