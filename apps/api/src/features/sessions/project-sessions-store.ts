import { type FieldsOf, fieldsOf, type projectSessions } from '@rolecall/contract'
import { selectFields } from '#member/columns'
import type { Queryable } from '#platform/db/database'
import { allOf, replanned, type Sql, sql } from '#platform/db/sql'

/**
 * Returns the servers in which sessions of a project can be live. An inactive project has none. Returns undefined if
 * the project does not exist.
 */
export const findPlaces = (db: Queryable, projectId: string) =>
  db.maybeOne<{ serverIds: string[] }>(sql`
    select array(
      select r.server_id from readable_servers r
      where r.project_id = p.id and p.deactivated_at is null) as "serverIds"
    from projects p where p.id = ${projectId} and p.deleted_at is null`)

/** A session in the list of a project. The fields of the member come from `FieldsOf`. */
export interface ProjectSessionRow extends FieldsOf<'projectSession'> {
  readonly id: string
  readonly kind: projectSessions.ProjectSession['kind']
  readonly memberId: string
  readonly serverId: string
  readonly serverName: string
  readonly createdAt: Date
  readonly refreshedAt: Date
  readonly expiresAt: Date
  readonly ip: string | null
  readonly userAgent: string | null
}

/**
 * A session that was neither revoked nor expired. `isLive` is false if it ended for a reason that is not in its row,
 * for example because its member was blocked.
 */
export type PossibleSession = ProjectSessionRow & { readonly isLive: boolean }

/** The stretch of sessions to read. `serverIds` come from the servers in which the project's sessions can be live. */
export interface ProjectSessionFilter {
  readonly projectId: string
  readonly memberId?: string | undefined
  readonly serverIds: readonly string[]
  /** The last session that was already listed. Undefined for the first stretch. */
  readonly after?: Pick<ProjectSessionRow, 'createdAt' | 'id'> | undefined
  readonly limit: number
}

/** Lists up to `limit` consecutive sessions of a project that were not revoked, newest first. */
export const listStretch = (db: Queryable, filter: ProjectSessionFilter) =>
  db.query<PossibleSession>(stretchStatement(filter))

/**
 * Builds the statement of `listStretch`. It first reads the stretch from `sessions` alone, along an index that has the
 * order of the list. It then checks the other conditions of a live session for these few rows. PostgreSQL plans each
 * execution with the actual values, because one filter may match a few sessions, and another all of the project.
 */
export function stretchStatement({
  projectId,
  memberId,
  serverIds,
  after,
  limit,
}: ProjectSessionFilter): Sql {
  const conditions = [
    sql`project_id = ${projectId} and server_id = any(${serverIds}::text[]) and revoked_at is null`,
    sql`expires_at > clock_now()`,
  ]
  if (memberId !== undefined) conditions.push(sql`member_id = ${memberId}`)
  if (after) conditions.push(sql`(created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`)
  return replanned(sql`
    select s.id, s.created_at as "createdAt", l.id is not null as "isLive",
      case when o.session_id is null then 'code' else 'oidc' end as kind, s.member_id as "memberId",
      ${selectFields(fieldsOf('projectSession'))}, s.server_id as "serverId", v.name as "serverName",
      greatest(s.created_at,
        (select max(t.spent_at) from spent_tokens t where t.session_id = s.id),
        (select max(r.created_at) from oidc_records r where r.session_id = s.id)) as "refreshedAt",
      s.expires_at as "expiresAt", s.ip, s.user_agent as "userAgent"
    from (
      select * from sessions where ${allOf(conditions)} order by created_at desc, id desc limit ${limit}) s
    left join live_sessions l on l.id = s.id
    join members u on u.id = s.member_id
    left join memberships m on m.server_id = s.server_id and m.member_id = s.member_id
    join servers v on v.id = s.server_id left join oidc_sessions o on o.session_id = s.id
    order by s.created_at desc, s.id desc`)
}
