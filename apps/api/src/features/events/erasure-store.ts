import type { Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/**
 * Finds the projects that have data about a member: through a live or ended session, a consent, or an event that is
 * still stored. They are notified when the member is erased.
 */
export const findProjectsThatKnew = async (tx: Tx, memberId: string): Promise<string[]> => {
  const rows = await tx.query<{ id: string }>(sql`
    select p.id from projects p where p.deleted_at is null and p.id in (
      select project_id from sessions where member_id = ${memberId}
      union select project_id from oidc_consents where member_id = ${memberId}
      union select project_id from outbox where data ->> 'memberId' = ${memberId}
      union select project_id from deliveries where kind = 'event' and member_id = ${memberId})
    order by p.id`)
  return rows.map(({ id }) => id)
}

/** Writes the event `member.erased` for each of these projects. */
export const insertErased = (tx: Tx, memberId: string, projectIds: readonly string[]) =>
  tx.execute(sql`
    insert into outbox (project_id, type, data)
    select id, 'member.erased', jsonb_build_object('memberId', ${memberId}::text)
    from unnest(${projectIds}::uuid[]) id order by id`)
