import type { memberHistory } from '@rolecall/contract'
import type { Queryable } from '#platform/db/database'
import { readMomentCursor } from '#platform/db/moment-cursor'
import { type Sql, sql } from '#platform/db/sql'

/** A role change or a sign-in. */
export interface HistoryRow extends Omit<memberHistory.MemberHistoryEntry, 'at'> {
  readonly at: Date
}

interface Wanted {
  readonly memberId: string
  readonly limit: number
  readonly cursor: string | undefined
}

/** The beginning of the period that is listed. */
const since = sql`clock_now() - interval '30 days'`

/**
 * Selects the newest sessions of projects, either the revoked ones or the others. Each of the two has its own index.
 */
const signIns = (memberId: string, isEnded: Sql, page: (at: Sql) => Sql): Sql => sql`
  select id, created_at, 'signed_in', server_id, null, project_id from sessions
  where member_id = ${memberId} and revoked_at is ${isEnded} and project_id is not null ${page(sql`created_at`)}`

/**
 * Lists the role changes and sign-ins of a member within 30 days, newest first. Sign-ins to the console come from the
 * audit log, because their sessions are deleted sooner. The condition on `seq` limits the part of the log that is read.
 */
export function listHistoryRows(db: Queryable, { memberId, limit, cursor }: Wanted) {
  const place = cursor === undefined ? undefined : readMomentCursor(cursor)
  const page = (at: Sql) => sql`
    and ${at} >= ${since} ${place ? sql`and (${at}, id) < (${place.at}, ${place.id}::uuid)` : sql``}
    order by ${at} desc, id desc limit ${limit}`
  return db.query<HistoryRow>(sql`
    with entries (id, at, kind, server_id, role_id, project_id) as (
      (select id, at, case when is_added then 'role_added' else 'role_removed' end, server_id, role_id, null::uuid
        from member_role_changes where member_id = ${memberId} ${page(sql`at`)})
      union all (${signIns(memberId, sql`null`, page)})
      union all (${signIns(memberId, sql`not null`, page)})
      union all (
        select id, at, 'signed_in', null, null, null from audit_log
        where actor_id = ${memberId} and action = 'admin.login' and seq > coalesce((
          select seq from audit_log where at < ${since} order by at desc, seq desc limit 1), 0)
        ${page(sql`at`)}))
    select e.id, e.at, e.kind,
      case when v.id is not null then json_build_object('id', v.id, 'name', v.name) end as server,
      case when e.role_id is not null then json_build_object(
        'id', e.role_id, 'name', r.name, 'color', nullif(r.color, 0)) end as role,
      case when p.id is not null then json_build_object('id', p.id, 'name', p.name) end as project
    from entries e left join servers v on v.id = e.server_id
      left join roles r on r.server_id = e.server_id and r.id = e.role_id
      left join projects p on p.id = e.project_id
    order by e.at desc, e.id desc limit ${limit}`)
}
