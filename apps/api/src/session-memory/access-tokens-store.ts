import { batcher } from '#platform/db/batcher'
import type { Database } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** A valid API key of a project. `endsAtMs` is its expiry, or null if it does not expire. */
export interface ClientKey {
  readonly digest: string
  readonly endsAtMs: number | null
}

/** The facts about a project as an OpenID Connect client on which responses about its tokens depend. */
export interface ClientFact {
  readonly isPublic: boolean
  /** The server of the client, or else the main server. Null if there is neither. */
  readonly serverId: string | null
  readonly keys: readonly ClientKey[]
}

/** The stored record of an access token, the grant of its session, and the client that the token was issued to. */
export interface AccessTokenRow {
  readonly payload: string
  readonly sessionId: string | null
  readonly isExpired: boolean
  readonly expiresAtMs: number
  readonly grant:
    | { readonly projectId: string; readonly scope: string; readonly clientId: string | null }
    | undefined
  /** Undefined if the project is no longer an OpenID Connect client. */
  readonly client: ClientFact | undefined
}

interface FoundRow {
  readonly payload: string | null
  readonly sessionId: string | null
  readonly isExpired: boolean
  readonly expiresAtMs: number
  readonly projectId: string | null
  readonly scope: string
  readonly clientId: string | null
  readonly isPublic: boolean | null
  readonly serverId: string | null
  readonly keysJson: string
}

/**
 * Creates a function that reads access tokens by their digests, many in one statement. It returns undefined for a token
 * that is not stored.
 */
export const accessTokensReader = (
  db: Pick<Database, 'batched' | 'maxBatchesAtOnce'>,
  configuredServerId: string | undefined,
) =>
  batcher(async (digests: string[]): Promise<(AccessTokenRow | undefined)[]> => {
    const rows = await db.batched<FoundRow>(sql`
      select r.payload, r.session_id as "sessionId", r.expires_at <= clock_now() as "isExpired",
        round(date_part('epoch', r.expires_at) * 1000) as "expiresAtMs",
        o.project_id as "projectId", o.scope, o.client_id as "clientId", c.is_public as "isPublic", c.server_id as "serverId",
        c.keys as "keysJson"
      from unnest(${digests}::text[]) with ordinality as q (digest, n)
      left join lateral (
        select payload, session_id, expires_at from oidc_records
        where digest = q.digest and model = 'AccessToken'
        offset 0) r on true
      left join oidc_sessions o on o.session_id = r.session_id
      left join lateral (
        select c.is_public, coalesce(c.server_id,
            (select v.id from servers v where v.is_main and v.removed_at is null), ${configuredServerId ?? null}) as server_id,
          (select coalesce(json_agg(json_build_object('digest', k.digest,
              'endsAtMs', round(date_part('epoch', k.expires_at) * 1000))), '[]')
            from working_keys k where k.project_id = c.project_id)::text as keys
        from oidc_clients c join projects p on p.id = c.project_id and p.deleted_at is null and p.deactivated_at is null
        where c.project_id = o.project_id and c.enabled
        offset 0) c on true
      order by q.n`)
    return rows.map(toRow)
  }, db.maxBatchesAtOnce)

function toRow({ payload, projectId, scope, clientId, ...row }: FoundRow): AccessTokenRow | undefined {
  if (payload === null) return undefined
  const { sessionId, isExpired, expiresAtMs, isPublic, serverId, keysJson } = row
  return {
    ...{ payload, sessionId, isExpired, expiresAtMs },
    grant: projectId === null ? undefined : { projectId, scope, clientId },
    client: isPublic === null ? undefined : { isPublic, serverId, keys: JSON.parse(keysJson) as ClientKey[] },
  }
}
