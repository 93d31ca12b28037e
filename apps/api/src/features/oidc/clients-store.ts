import { mainServerId } from '#mirror/read-servers'
import { batcher } from '#platform/db/batcher'
import type { Database, Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** An active project for which OpenID Connect is on. */
export interface ClientRow {
  readonly projectId: string
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly isInternal: boolean
  readonly isPublic: boolean
  /** The client's server, or the main server. Null if there is neither. */
  readonly serverId: string | null
  readonly postLogoutRedirectUris: readonly string[]
  readonly backchannelLogoutUri: string | null
  readonly deviceFlow: boolean
  readonly rolesInIdToken: boolean
  /** Digests of the valid API keys, which are the client's secrets. */
  readonly keyDigests: readonly string[]
}

/**
 * Creates a function that reads a project as a client, by its ID. Simultaneous calls share one statement. The function
 * returns undefined for a project that is unknown, inactive, or no client. An ID in upper case is unknown, because the
 * protocol library compares IDs as text.
 */
export const clientsReader = (
  db: Pick<Database, 'batched' | 'maxBatchesAtOnce'>,
  configuredServerId: string | undefined,
) =>
  batcher(async (projectIds: string[]): Promise<(ClientRow | undefined)[]> => {
    const rows = await db.batched<ClientRow>(sql`
      select p.id as "projectId", p.name, p.redirect_uris as "redirectUris", p.is_internal as "isInternal",
        c.is_public as "isPublic",
        coalesce(c.server_id, ${mainServerId},
          ${configuredServerId ?? null}) as "serverId",
        c.post_logout_redirect_uris as "postLogoutRedirectUris", c.backchannel_logout_uri as "backchannelLogoutUri",
        c.device_flow as "deviceFlow", c.roles_in_id_token as "rolesInIdToken",
        coalesce((select array_agg(k.digest order by k.digest) from working_keys k where k.project_id = p.id),
          '{}') as "keyDigests"
      from projects p join oidc_clients c on c.project_id = p.id and c.enabled
      where p.id = any(${[...new Set(projectIds)]}::uuid[]) and p.deleted_at is null and p.deactivated_at is null`)
    const found = new Map(rows.map((row) => [row.projectId, row]))
    return projectIds.map((id) => found.get(id))
  }, db.maxBatchesAtOnce)

/** The project that a resource (an API) belongs to. */
export interface ResourceRow {
  readonly projectId: string
  readonly name: string
  /** The server to which its tokens belong. */
  readonly serverId: string
  /** The hosts whose client ID metadata documents the project accepts. */
  readonly clientHosts: readonly string[]
}

/**
 * Returns the project that a resource belongs to. Returns undefined if there is none, if the project or its OpenID
 * Connect is not active, or if the project cannot read its server.
 */
export const findResource = (db: Queryable, resource: string, configuredServerId: string | undefined) =>
  db.maybeOne<ResourceRow>(sql`
    select p.id as "projectId", p.name, s.server_id as "serverId", c.client_hosts as "clientHosts"
    from oidc_resources r join projects p on p.id = r.project_id and p.deleted_at is null and p.deactivated_at is null
    join oidc_clients c on c.project_id = p.id and c.enabled
    join readable_servers s on s.project_id = p.id
      and s.server_id = coalesce(c.server_id, ${mainServerId}, ${configuredServerId ?? null})
    where r.resource = ${resource}`)

/**
 * Lists the redirect URIs of public clients. They run in a browser, and their origins may send cross-origin requests.
 */
export const listBrowserRedirectUris = async (db: Queryable): Promise<string[]> =>
  (
    await db.query<{ uri: string }>(sql`
      select distinct unnest(p.redirect_uris) as uri
      from projects p join oidc_clients c on c.project_id = p.id and c.enabled and c.is_public
      where p.deleted_at is null and p.deactivated_at is null`)
  ).map(({ uri }) => uri)

/**
 * Returns true if a project accepts client ID metadata documents of this host or, if `host` is undefined, of any host.
 */
export const isHostListed = async (db: Queryable, host?: string): Promise<boolean> =>
  (await db.maybeOne(sql`
    select 1 as one from oidc_clients c
      join projects p on p.id = c.project_id and p.deleted_at is null and p.deactivated_at is null
    where c.enabled and (${host ?? null}::text = any(c.client_hosts)
      or ${host === undefined}::boolean and c.client_hosts <> '{}') limit 1`)) !== undefined

/** Returns the document hosts that a project accepts, and locks this list until the transaction ends. */
export const lockClientHosts = async (tx: Tx, projectId: string): Promise<readonly string[]> =>
  (
    await tx.maybeOne<{ clientHosts: string[] }>(sql`
      select client_hosts as "clientHosts" from oidc_clients where project_id = ${projectId} and enabled for share`)
  )?.clientHosts ?? []

/** Returns true if any project is a client. */
export const hasClients = async (db: Queryable): Promise<boolean> =>
  (await db.maybeOne(sql`select 1 as one from oidc_clients where enabled limit 1`)) !== undefined

/** Finds a project, and the address for logout tokens that its client has now, for sending failed ones again. */
export const findLogoutProject = (db: Queryable, projectId: string) =>
  db.maybeOne<{ id: string; name: string; hasAddress: boolean; resendWith: { uri: string | null } }>(sql`
    select p.id, p.name, c.backchannel_logout_uri is not null as "hasAddress",
      jsonb_build_object('uri', c.backchannel_logout_uri) as "resendWith"
    from projects p left join oidc_clients c on c.project_id = p.id and c.enabled
    where p.id = ${projectId} and p.deleted_at is null`)

/** Lists the live sessions among a browser's sessions, with the names of their projects. */
export const listLiveSites = (db: Queryable, memberId: string, sessionIds: readonly string[]) =>
  db.query<{ sessionId: string; projectId: string; name: string }>(sql`
    select s.id as "sessionId", s.project_id as "projectId", p.name
    from live_sessions s join projects p on p.id = s.project_id
    where s.member_id = ${memberId} and s.id = any(${sessionIds}::uuid[])
    order by p.name, s.id`)
