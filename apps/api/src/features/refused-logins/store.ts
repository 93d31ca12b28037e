import type { refusedLogins } from '@rolecall/contract'
import type { Queryable } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'

interface RefusedLoginRow extends Omit<refusedLogins.RefusedLogin, 'at' | 'step'> {
  readonly id: string
  readonly at: Date
}

/** Lists refused sign-ins of known accounts that fulfil the condition, newest first. */
export const listRefused = (db: Queryable, codes: readonly string[], condition: Sql, limit: number) =>
  db.query<RefusedLoginRow>(sql`
    select f.id, f.at, f.member_id as "memberId", u.username, u.global_name as "displayName", u.avatar,
      f.project_id as "projectId", f.server_id as "serverId", f.reason as code
    from auth_failures f join members u on u.id = f.member_id
    where f.member_id is not null and f.project_id is not null and f.reason = any(${codes}::text[]) and ${condition}
    order by f.at desc, f.id desc limit ${limit}`)
