import { namesMember } from '#audit/chain-store'
import { personalPairs } from '#member/columns'
import type { Database, Queryable } from '#platform/db/database'
import { type Sql, sql } from '#platform/db/sql'

/** Selects rows as a JSON array. */
const all = (rows: Sql): Sql => sql`(select coalesce(json_agg(x), '[]') from (${rows}) x)`
/** Selects the only row as a JSON object, or null without a row. */
const one = (row: Sql): Sql => sql`(select to_json(x) from (${row}) x)`

/** The stored data about a member, by kind. */
export type PersonalData = Readonly<Record<string, unknown>> & { readonly block: object | null }

/**
 * Reads everything that is stored about a member, except the audit log, as one JSON object. Returns undefined for an
 * unknown member. If you add a column with personal data to a table, add it here, too.
 */
export const findPersonalData = (db: Queryable, memberId: string) =>
  db.maybeOne<{ username: string; data: PersonalData }>(sql`
    select u.username, json_build_object(
      'memberId', u.id, 'readAt', iso(clock_now()),
      'profile', json_build_object(${personalPairs}, 'isClubMember', u.is_club_member,
        'toldAt', iso(u.told_at), 'createdAt', iso(u.created_at), 'updatedAt', iso(u.updated_at)),
      'lastSeenAt', (select iso(a.seen_at) from member_activity a where a.member_id = u.id),
      'block', ${one(sql`
        select b.reason, iso(b.since) as since, iso(b.until) as until
        from member_blocks b where b.member_id = u.id`)},
      'memberships', ${all(sql`
        select m.server_id as "serverId", v.name as "serverName", m.nick as nickname, m.role_ids as "roleIds",
          iso(m.joined_at) as "joinedAt", m.pending, iso(m.left_at) as "leftAt",
          m.generation as "timesReturned", iso(m.synced_at) as "syncedAt"
        from memberships m join servers v on v.id = m.server_id where m.member_id = u.id order by m.server_id`)},
      'roleChanges', ${all(sql`
        select c.id, iso(c.at) as at, c.server_id as "serverId", c.role_id as "roleId", c.is_added as added
        from member_role_changes c where c.member_id = u.id order by c.at desc, c.id desc`)},
      'sessions', ${all(sql`
        select s.id, s.project_id as "projectId", p.name as "projectName", s.server_id as "serverId",
          iso(s.created_at) as "createdAt", iso(s.expires_at) as "expiresAt",
          iso(s.max_expires_at) as "maxExpiresAt", iso(s.revoked_at) as "revokedAt",
          s.revoked_reason as "revokedReason", s.rotation as refreshes, s.ip as "ipAddress",
          s.user_agent as "userAgent"
        from sessions s left join projects p on p.id = s.project_id where s.member_id = u.id
        order by s.created_at desc, s.id desc`)},
      'singleSignOn', ${all(sql`
        select o.id, iso(o.created_at) as "createdAt", iso(o.rotated_at) as "lastUsedAt",
          iso(o.expires_at) as "expiresAt", o.ip as "ipAddress", o.user_agent as "userAgent"
        from sso_sessions o where o.member_id = u.id order by o.created_at desc, o.id desc`)},
      'codes', ${all(sql`
        select c.project_id as "projectId", c.server_id as "serverId", c.redirect_uri as "redirectUri",
          iso(c.created_at) as "createdAt", iso(c.expires_at) as "expiresAt", iso(c.used_at) as "usedAt",
          c.session_id as "sessionId", c.ip as "ipAddress", c.user_agent as "userAgent"
        from authorization_codes c where c.member_id = u.id order by c.created_at desc`)},
      'projectLogouts', ${all(sql`
        select l.project_id as "projectId", iso(l.at) as at from project_logouts l where l.member_id = u.id
        order by l.at desc`)},
      'events', ${all(sql`
        select o.project_id as "projectId", o.type, o.data, iso(o.created_at) as at
        from outbox o where o.data ->> 'memberId' = u.id and o.created_at >= u.created_at order by o.id desc`)},
      'eventDeliveries', ${all(sql`
        select d.project_id as "projectId", d.type, d.data, iso(d.created_at) as at
        from deliveries d
        where d.kind = 'event' and d.member_id = u.id and d.created_at >= u.created_at order by d.place desc`)},
      'consents', ${all(sql`
        select c.project_id as "projectId", nullif(c.client_id, '') as "clientId", c.scopes, iso(c.created_at) as at
        from oidc_consents c where c.member_id = u.id order by c.created_at`)},
      'clientLogouts', ${all(sql`
        select g.project_id as "projectId", g.data ->> 'sessionId' as "sessionId", g.data ->> 'uri' as uri,
          iso(g.created_at) as at
        from deliveries g where g.kind = 'logout' and g.member_id = u.id order by g.created_at desc`)},
      'ownedProjects', ${all(sql`
        select w.project_id as "projectId", p.name as "projectName" from project_owners w
        join projects p on p.id = w.project_id where u.id = any(w.member_ids) order by p.name`)},
      'accessChanges', ${all(sql`
        select t.id, iso(t.at) as at, t.action, t.project_id as "projectId", t.project_name as "projectName",
          t.server_id as "serverId", t.server_name as "serverName", t.before, t.after
        from access_trail t where t.actor_id = u.id order by t.seq desc`)},
      'memberSyncs', ${all(sql`
        select y.id, y.server_id as "serverId", iso(y.started_at) as "startedAt",
          iso(y.finished_at) as "finishedAt", y.started_by as "startedBy"
        from member_syncs y where y.started_by -> 'actor' ->> 'id' = u.id order by y.started_at desc`)},
      'notifications', ${all(sql`
        select n.id, n.project_id as "projectId", n.type, n.data ->> 'text' as text, iso(n.created_at) as "createdAt"
        from deliveries n
        where n.kind = 'notice' and right(n.data ->> 'text', length(u.username) + 5) = ' By ' || u.username || '.'
        order by n.created_at desc`)},
      'authFailures', ${all(sql`
        select f.id, iso(f.at) as at, f.kind, f.reason, f.address as "ipAddress", f.path,
          f.project_id as "projectId", f.key_prefix as "keyPrefix", f.request_id as "requestId"
        from auth_failures f where f.member_id = u.id order by f.at desc, f.id desc`)},
      'settingsWrittenAt', (select iso(s.updated_at) from settings s where s.updated_by = u.id)
    ) as data
    from members u where u.id = ${memberId}`)

/** Streams the audit entries by a member and about them, newest first, 100 at a time. They name no other actors. */
export const streamAuditEntries = (db: Pick<Database, 'stream'>, memberId: string) =>
  db.stream<Readonly<Record<string, unknown>>>(
    sql`
    select id, iso(at) as at, action_type as "actionType", action, severity,
      actor_id is not distinct from ${memberId} as "byThemselves",
      case when actor_id = ${memberId} then actor_username end as "asUsername",
      case when actor_id = ${memberId} then ip end as "ipAddress",
      target_type as "targetType", target_id as "targetId", target_name as "targetName", summary, changes
    from audit_log where ${namesMember(memberId)} order by seq desc`,
    100,
  )
