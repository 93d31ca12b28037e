import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** A project, for the checks of a sign-in to one of its servers. */
export interface LoginProject {
  readonly id: string
  readonly name: string
  readonly isActive: boolean
  readonly redirectUris: readonly string[]
  /** True if the project can read the server of the sign-in. */
  readonly mayRead: boolean
}

/** Returns a project for the checks of a sign-in, or undefined if it is unknown or deleted. */
export const findLoginProject = (db: Queryable, projectId: string, serverId: string) =>
  db.maybeOne<LoginProject>(sql`
    select p.id, p.name, p.deactivated_at is null as "isActive", array(select c.uri from project_callbacks c where c.project_id = p.id) as "redirectUris",
      exists (select from readable_servers r where r.project_id = p.id and r.server_id = ${serverId}) as "mayRead"
    from projects p where p.id = ${projectId} and p.deleted_at is null`)

/** A sign-in request: a sign-in that has started and waits for Discord's callback. */
export interface NewAuthRequest {
  readonly id: string
  /** The digest of the secret in the browser's cookie. */
  readonly browserDigest: string
  /** The `state` and the PKCE verifier between the service and Discord. */
  readonly chatState: string
  readonly chatCodeVerifier: string
  /** Null for a sign-in to the service itself: to the administration or the account page. */
  readonly projectId: string | null
  readonly serverId: string
  readonly redirectUri: string
  /** The `state` and the PKCE challenge between the project and the service. */
  readonly state: string | null
  readonly codeChallenge: string | null
  /** The ID of the OpenID Connect request that waits for this sign-in. If set, no code is created. */
  readonly interaction?: string
  /** The client address that started the sign-in, in the form that counts toward the limits. */
  readonly address: string
  readonly ttlSec: number
}

export const insertAuthRequest = (db: Queryable, r: NewAuthRequest) =>
  db.execute(sql`
    insert into auth_requests (id, browser_digest, chat_state, chat_code_verifier, project_id, server_id,
      redirect_uri, state, code_challenge, interaction, address, expires_at)
    values (${r.id}, ${r.browserDigest}, ${r.chatState}, ${r.chatCodeVerifier}, ${r.projectId}, ${r.serverId},
      ${r.redirectUri}, ${r.state}, ${r.codeChallenge}, ${r.interaction ?? null}, ${r.address}, clock_now() + ${r.ttlSec}::int * interval '1 second')`)

/**
 * Deletes sign-in requests until at most `limit` are left. Begins with the oldest requests of the addresses that have
 * the most, so that a flood from a few addresses evicts its own requests.
 */
export const trimAuthRequests = (db: Queryable, limit: number) =>
  db.execute(sql`
    delete from auth_requests where id in (
      select id from (
        select id, created_at, row_number() over (partition by address order by created_at desc, id desc) as place
        from auth_requests) ranked
      order by place desc, created_at
      limit greatest(0, (select count(*) from auth_requests) - ${limit}::bigint))`)

/** Returns the newest sign-in request of this browser that still waits for Discord's callback. */
export const findPendingRequest = (db: Queryable, browserDigests: readonly string[]) =>
  db.maybeOne<{ chatState: string; chatCodeVerifier: string }>(sql`
    select chat_state as "chatState", chat_code_verifier as "chatCodeVerifier" from auth_requests
    where browser_digest = any(${browserDigests}::text[]) and used_at is null and expires_at > clock_now()
    order by created_at desc, id desc limit 1`)

/** A claimed sign-in request. The fields are those of `NewAuthRequest`. */
export interface AuthRequest {
  readonly browserDigest: string
  readonly chatCodeVerifier: string
  readonly projectId: string | null
  readonly serverId: string
  readonly redirectUri: string
  readonly state: string | null
  readonly codeChallenge: string | null
  readonly interaction: string | null
  readonly address: string
  /** The time since the request was stored. */
  readonly ageMs: number
}

/**
 * Claims the sign-in request of a callback, so that a second callback finds nothing. The request must have this state,
 * belong to a browser with one of these secrets, and be neither expired nor claimed. Otherwise returns undefined.
 */
export const claimAuthRequest = (db: Queryable, chatState: string, browserDigests: readonly string[]) =>
  db.maybeOne<AuthRequest>(sql`
    update auth_requests set used_at = clock_now()
    where chat_state = ${chatState} and browser_digest = any(${browserDigests}::text[])
      and used_at is null and expires_at > clock_now()
    returning browser_digest as "browserDigest", chat_code_verifier as "chatCodeVerifier",
      project_id as "projectId", server_id as "serverId", redirect_uri as "redirectUri", state,
      code_challenge as "codeChallenge", interaction, address,
      (extract(epoch from clock_now() - created_at) * 1000)::float8 as "ageMs"`)

/** Locks a member against erasure until the transaction ends. Returns false if the member is unknown. */
export const lockMember = async (tx: Tx, memberId: string): Promise<boolean> =>
  (await tx.maybeOne(sql`select from members where id = ${memberId} for key share`)) !== undefined

/** Returns true if the person is a member of a registered server, according to the mirror. */
export const isInAnyServer = async (db: Queryable, memberId: string): Promise<boolean> =>
  (await db.maybeOne(sql`select from members where id = ${memberId} and is_current`)) !== undefined

/** A one-time code, or a sign-in from a command line that waits for its confirmation. */
export interface NewCode {
  readonly digest: string
  readonly projectId: string | null
  readonly memberId: string
  readonly serverId: string
  readonly redirectUri: string
  readonly codeChallenge: string | null
  /** The digest of the secret in the cookie of the browser that started the sign-in. Set only for an admin sign-in. */
  readonly browserDigest?: string
  readonly ip: string | null
  readonly userAgent: string | null
  readonly ttlSec: number
}

/**
 * Stores a code if the project may still use this server and this redirect URI. Returns the number of stored codes: 0
 * or 1.
 */
export const insertCode = (tx: Tx, c: NewCode) =>
  tx.execute(sql`
    insert into authorization_codes (digest, project_id, member_id, server_id, redirect_uri, code_challenge,
      browser_digest, ip, user_agent, expires_at)
    select ${c.digest}, ${c.projectId}::uuid, ${c.memberId}, ${c.serverId}, ${c.redirectUri},
      ${c.codeChallenge}, ${c.browserDigest ?? null}, ${c.ip}, ${c.userAgent}, clock_now() + ${c.ttlSec}::int * interval '1 second'
    where ${c.projectId}::uuid is null or exists (
      select from projects p join readable_servers r on r.project_id = p.id and r.server_id = ${c.serverId}
      where p.id = ${c.projectId}::uuid and p.deleted_at is null and p.deactivated_at is null
        and exists (select from project_callbacks k where k.project_id = p.id and k.uri = ${c.redirectUri}))`)

/** Returns true if the request with this state was claimed before, which means that the callback is a replay. */
export const isClaimedRequest = async (db: Queryable, chatState: string) =>
  (await db.maybeOne(sql`
    select from auth_requests where chat_state = ${chatState} and used_at is not null`)) !== undefined
