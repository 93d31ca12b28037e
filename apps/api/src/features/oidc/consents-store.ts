import type { Queryable, Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

// A consent is a list of entries: scopes, APIs (with `resourcePrefix`), and one redirect URI (with `redirectPrefix`).
const resourcePrefix = 'resource:'

/** Returns the entry of a consent that stands for an API. */
export const resourceEntry = (resource: string) => `${resourcePrefix}${resource}`

const redirectPrefix = 'redirect:'
/** Returns the entry of a consent that stands for the redirect URI of a client with a metadata document. */
export const redirectEntry = (redirectUri: string) => `${redirectPrefix}${redirectUri}`

/** The parties of a consent. */
interface ConsentOf {
  readonly projectId: string
  readonly memberId: string
  /** The address of the metadata document that describes the client; null if the client is the project itself. */
  readonly clientId: string | null
}

const selectConsent = ({ projectId, memberId, clientId }: ConsentOf) => sql`
  select scopes from oidc_consents
  where project_id = ${projectId} and member_id = ${memberId} and client_id = ${clientId ?? ''}`

/** Returns the entries to which a member has consented for a client, or undefined without a consent. */
export const findConsent = async (db: Queryable, of: ConsentOf): Promise<string[] | undefined> =>
  (await db.maybeOne<{ scopes: string[] }>(selectConsent(of)))?.scopes

/** Returns the same entries, and keeps the consent from being withdrawn until the transaction ends. */
export const lockConsent = async (tx: Tx, of: ConsentOf): Promise<string[] | undefined> =>
  (await tx.maybeOne<{ scopes: string[] }>(sql`${selectConsent(of)} for key share`))?.scopes

/**
 * Adds entries to a member's consent. The new redirect URI replaces the stored one, because the port of a loopback
 * address differs each time.
 */
export const addConsent = (tx: Tx, c: ConsentOf & { readonly scopes: readonly string[] }) =>
  tx.execute(sql`
    insert into oidc_consents (project_id, member_id, client_id, scopes)
    values (${c.projectId}, ${c.memberId}, ${c.clientId ?? ''}, ${c.scopes}::text[])
    on conflict (project_id, member_id, client_id) do update set created_at = clock_now(), scopes = (
      select coalesce(array_agg(distinct scope order by scope), '{}')
      from unnest(oidc_consents.scopes || excluded.scopes) as scope
      where not starts_with(scope, ${redirectPrefix}) or scope = any(excluded.scopes))`)

/** Lists a member's consents, sorted by the project's name. Separates the scopes from the APIs. */
export const listConsents = async (db: Queryable, memberId: string) => {
  const rows = await db.query<{
    projectId: string
    projectName: string
    clientId: string | null
    scopes: string[]
    at: Date
  }>(sql`
    select c.project_id as "projectId", p.name as "projectName", nullif(c.client_id, '') as "clientId", c.scopes,
      c.created_at as at
    from oidc_consents c join projects p on p.id = c.project_id and p.deleted_at is null
    where c.member_id = ${memberId} order by p.name, p.id, c.client_id`)
  return rows.map((row) => ({
    ...row,
    scopes: row.scopes.filter(
      (entry) => !entry.startsWith(resourcePrefix) && !entry.startsWith(redirectPrefix),
    ),
    resources: row.scopes
      .filter((entry) => entry.startsWith(resourcePrefix))
      .map((entry) => entry.slice(resourcePrefix.length)),
  }))
}

/** Deletes a member's consent for a client. Returns the name of the project, or undefined if there was no consent. */
export const deleteConsent = (tx: Tx, of: ConsentOf) =>
  tx.maybeOne<{ projectName: string }>(sql`
    delete from oidc_consents c using projects p
    where c.project_id = ${of.projectId} and c.member_id = ${of.memberId} and c.client_id = ${of.clientId ?? ''}
      and p.id = c.project_id
    returning p.name as "projectName"`)

/** Deletes all consents of a member, when the member is erased. */
export const eraseConsents = (tx: Tx, memberId: string) =>
  tx.execute(sql`delete from oidc_consents where member_id = ${memberId}`)
