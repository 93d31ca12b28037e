import type { projects } from '@rolecall/contract'
import { mainServerId } from '#mirror/read-servers'
import type { Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/**
 * Selects the OpenID Connect settings of a project `p`, in the form of the contract. A project without a row in
 * `oidc_clients` has the defaults.
 */
export const oidcOf = sql`(
  select json_build_object('enabled', coalesce(c.enabled, false),
    'serverId', coalesce(c.server_id, ${mainServerId}),
    'publicClient', coalesce(c.is_public, false),
    'postLogoutRedirectUris', coalesce(c.post_logout_redirect_uris, '{}'),
    'backchannelLogoutUri', c.backchannel_logout_uri,
    'deviceFlow', coalesce(c.device_flow, false),
    'rolesInIdToken', coalesce(c.roles_in_id_token, false),
    'clientHosts', coalesce(c.client_hosts, '{}'),
    'resources', coalesce(
      (select json_agg(r.resource order by r.place) from oidc_resources r where r.project_id = p.id), '[]'))
  from (select 1) one left join oidc_clients c on c.project_id = p.id)`

/** The OpenID Connect settings as stored. A null server means the current main server. */
export type StoredOidc = projects.Project['oidc']

/** Returns the stored server of a client, which may be null. Returns undefined if nothing is stored. */
export const findOwnServer = (tx: Tx, projectId: string) =>
  tx.maybeOne<{ serverId: string | null }>(sql`
    select server_id as "serverId" from oidc_clients where project_id = ${projectId}`)

export const upsertOidc = (tx: Tx, projectId: string, c: StoredOidc) =>
  tx.execute(sql`
    insert into oidc_clients (project_id, enabled, server_id, is_public, post_logout_redirect_uris,
      backchannel_logout_uri, device_flow, roles_in_id_token, client_hosts)
    values (${projectId}, ${c.enabled}, ${c.serverId}, ${c.publicClient}, ${c.postLogoutRedirectUris}::text[],
      ${c.backchannelLogoutUri}, ${c.deviceFlow}, ${c.rolesInIdToken}, ${c.clientHosts}::text[])
    on conflict (project_id) do update set enabled = excluded.enabled, server_id = excluded.server_id,
      is_public = excluded.is_public, post_logout_redirect_uris = excluded.post_logout_redirect_uris,
      backchannel_logout_uri = excluded.backchannel_logout_uri, device_flow = excluded.device_flow,
      roles_in_id_token = excluded.roles_in_id_token,
      client_hosts = excluded.client_hosts, updated_at = clock_now()`)

/**
 * Deletes the resources of a project. Also deletes the rows of deleted projects for the resources in `wanted`, so that
 * this project can take them over.
 */
export const deleteResources = (tx: Tx, projectId: string, wanted: readonly string[]) =>
  tx.execute(sql`
    delete from oidc_resources r where r.project_id = ${projectId} or (r.resource = any(${wanted}::text[])
      and exists (select from projects p where p.id = r.project_id and p.deleted_at is not null))`)

/** Stores the resources of a project. Sorts them, so that two projects that want the same ones cannot deadlock. */
export const insertResources = (tx: Tx, projectId: string, resources: readonly string[]) =>
  tx.execute(sql`
    insert into oidc_resources (resource, project_id, place)
    select w.resource, ${projectId}::uuid, w.place
    from unnest(${resources}::text[]) with ordinality as w (resource, place) order by w.resource collate "C"`)
