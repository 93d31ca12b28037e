import type { refusedLogins } from '@rolecall/contract'
import type { Queryable } from '#platform/db/database'
import { readMomentCursor } from '#platform/db/moment-cursor'
import { allOf, type Sql, sql } from '#platform/db/sql'
import { isOwnedBy, type PossibleOwner } from '../../callers/owners-store.ts'

/** A refused sign-in. */
interface RefusedLoginRow extends Omit<refusedLogins.RefusedLogin, 'at' | 'step'> {
  readonly id: string
  readonly at: Date
}

/** The refused sign-ins to list. */
interface Wanted extends Pick<refusedLogins.RefusedLoginsQuery, 'search' | 'projectId' | 'cursor'> {
  /** The reasons of the refusals. */
  readonly codes: readonly string[]
  /** The conditions on `at`. */
  readonly period: readonly Sql[]
  /** If set, only refusals at projects of this owner are listed. */
  readonly owner: PossibleOwner | undefined
}

/** Lists refused sign-ins of known accounts, newest first. */
export const listRefused = (db: Queryable, wanted: Wanted, limit: number) =>
  db.query<RefusedLoginRow>(sql`
    select f.id, f.at, f.member_id as "memberId", u.username, u.global_name as "displayName", u.avatar,
      f.project_id as "projectId", f.server_id as "serverId", f.reason as code
    from auth_failures f join members u on u.id = f.member_id
    where f.server_id is not null and f.project_id is not null and ${allOf(conditionsOf(wanted))}
    order by f.at desc, f.id desc limit ${limit}`)

/**
 * Matches a refusal whose member the owner of the project may know. At an external project with OpenID Connect, this is
 * only a member who has consented before. Without consent, the project must not learn who visited: with single sign-on,
 * any page can start a sign-in without a click.
 */
const isKnownToProject = sql`(f.path not like '/oidc/%'
  or exists (select from projects p where p.id = f.project_id and p.is_internal)
  or exists (select from oidc_consents c where c.project_id = f.project_id and c.member_id = f.member_id))`

function conditionsOf({ codes, period, owner, search, projectId, cursor }: Wanted): Sql[] {
  const conditions = [sql`f.reason = any(${codes}::text[])`, ...period]
  if (owner !== undefined) conditions.push(isOwnedBy(owner, sql`f.project_id`), isKnownToProject)
  if (projectId !== undefined) conditions.push(sql`f.project_id = ${projectId}`)
  if (search !== undefined)
    conditions.push(sql`(position(lower(${search}) in u.search_text) > 0 or u.id = ${search})`)
  if (cursor !== undefined) {
    const { at, id } = readMomentCursor(cursor)
    conditions.push(sql`(f.at, f.id) < (${at}, ${id}::uuid)`)
  }
  return conditions
}
