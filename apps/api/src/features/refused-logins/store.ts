import type { refusedLogins } from '@rolecall/contract'
import type { Queryable } from '#platform/db/database'
import { readMomentCursor } from '#platform/db/moment-cursor'
import { allOf, type Sql, sql } from '#platform/db/sql'
import { isOwnedBy, type PossibleOwner } from '../../callers/owners-store.ts'

interface RefusedLoginRow extends Omit<refusedLogins.RefusedLogin, 'at' | 'step'> {
  readonly id: string
  readonly at: Date
}

interface Wanted extends Pick<refusedLogins.RefusedLoginsQuery, 'search' | 'projectId' | 'cursor'> {
  readonly codes: readonly string[]
  /** Conditions on `at`. */
  readonly period: readonly Sql[]
  /** Limits the list to projects of this owner; undefined lists all. */
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
 * False for a member who came by single sign-on and never agreed that an external project learns who they are. A page of
 * another site can start that without a click.
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
