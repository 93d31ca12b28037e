import type { Queryable } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/**
 * Replaces the changes of up to `limit` totals by their sums, and returns the number of replaced rows. A total is
 * always the sum of its rows, so rows that another process is replacing can be skipped.
 */
export const foldTotals = async (db: Queryable, limit: number): Promise<number> => {
  const folded = await db.maybeOne<{ n: number }>(sql`
    with due as (
      select distinct server_id, other_server_ids, role_id from member_totals where not is_sum limit ${limit}),
    parts as (
      select t.id from member_totals t join due using (role_id, server_id, other_server_ids)
      for update of t skip locked),
    gone as (
      delete from member_totals t where t.id in (select id from parts)
      returning t.server_id, t.other_server_ids, t.role_id, t.total),
    sums as (
      insert into member_totals (server_id, other_server_ids, role_id, total, is_sum)
      select server_id, other_server_ids, role_id, sum(total), true from gone
      group by server_id, other_server_ids, role_id having sum(total) <> 0)
    select count(*) as n from gone`)
  return folded?.n ?? 0
}
