import type { Database } from '@rolecall/api/platform/db/database'
import { type Sql, sql } from '@rolecall/api/platform/db/sql'
import { inBatches } from './copies.ts'

/**
 * Returns the SQL of a digest. This file contains the plain SQL statements that pgbench sends, as a program would make
 * the changes one by one. A statement computes the digest of its row from the row's number. The digests are as long and
 * as evenly distributed as real ones.
 */
const digest = (kind: string) => `encode(sha256(('${kind}' || :n)::bytea), 'base64')`
const id = (kind: string) => `md5('${kind}' || :n)::uuid`

const active = (members: string) => `
  insert into member_activity as a (member_id, seen_at) select member_id, clock_now() from ${members}
  on conflict (member_id) do update set seen_at = excluded.seen_at
  where a.seen_at < excluded.seen_at - interval '10 minutes'`

/** The statement of a refresh. */
export const plainRefresh = `
  with rotated as (
    update sessions set token_digest = ${digest('next')}, refresh_digest = ${digest('next refresh')},
      rotation = rotation + 1, expires_at = least(clock_now() + 2592000 * interval '1 second', max_expires_at)
    where id = ${id('refresh')} and token_digest = ${digest('refresh')}
      and refresh_digest = ${digest('refresh refresh')} and revoked_at is null and expires_at > clock_now()
    returning id, member_id, rotation, expires_at),
  active as (${active('rotated')}),
  spent as (
    insert into spent_tokens (token_digest, refresh_digest, session_id, rotation)
    select ${digest('refresh')}, ${digest('refresh refresh')}, id, rotation - 1 from rotated)
  select expires_at from rotated`

/** Returns the statement of a logout. */
export const plainLogout = (projectId: string) => `
  update sessions set revoked_at = clock_now(), revoked_reason = 'logout'
  where revoked_at is null and project_id = '${projectId}' and id in (
    select id from sessions where token_digest = ${digest('logout')} or refresh_digest = ${digest('logout')}
    union all
    select session_id from spent_tokens
    where token_digest = ${digest('logout')} or refresh_digest = ${digest('logout')})`

/** Returns the statement of an exchange. */
export const plainExchange = (projectId: string, redirectUri: string) => `
  with code as (
    update authorization_codes c set used_at = clock_now(), session_id = ${id('exchanged')}
    where c.digest = ${digest('exchange')} and c.project_id = '${projectId}' and c.redirect_uri = '${redirectUri}'
      and c.code_challenge is null and c.used_at is null and c.expires_at > clock_now()
      and exists (
        select from projects p join readable_servers r on r.project_id = p.id and r.server_id = c.server_id
        where p.id = c.project_id and p.deleted_at is null and p.deactivated_at is null
          and exists (select from project_callbacks k where k.project_id = p.id and k.uri = c.redirect_uri))
      and not is_void_by_block(c.member_id, c.created_at)
    returning c.member_id, c.server_id, c.project_id, c.ip, c.user_agent),
  made as (
    insert into sessions (id, project_id, member_id, server_id, membership_generation, token_digest, refresh_digest,
      ip, user_agent, expires_at, max_expires_at)
    select ${id('exchanged')}, c.project_id, c.member_id, c.server_id, m.generation, ${digest('exchanged')},
      ${digest('exchanged refresh')}, c.ip, c.user_agent, clock_now() + 2592000 * interval '1 second',
      clock_now() + 7776000 * interval '1 second'
    from code c join memberships m
      on m.server_id = c.server_id and m.member_id = c.member_id and m.left_at is null
    returning member_id, server_id, expires_at),
  active as (${active('made')})
  select s.member_id, u.username, s.server_id, s.expires_at from made s join members u on u.id = s.member_id`

/**
 * A submission of 1 KB, with the mark of its signature and the count of its webhook. `fields` is the JSON after the
 * number. It is sent as hexadecimal digits, because pgbench takes a colon before a letter for a variable.
 */
export const plainSubmit = (webhookId: string, fields: string) => `
  with marked as (
    insert into inbound_signatures (expires_at, mac, webhook_id)
    select clock_now() + interval '301 seconds', md5('mac' || :n)::uuid, '${webhookId}'
    on conflict do nothing returning mac),
  stored as (
    insert into inbound_submissions (id, webhook_id, payload, is_signed, origin, received_at)
    select md5('submission' || :n)::uuid, '${webhookId}', ${textOf('{"number":')} || :n || ${textOf(fields)},
      true, null, clock_now()
    from marked returning id)
  insert into inbound_submission_counts as c (webhook_id, part, count, last_at)
  select '${webhookId}', pg_backend_pid() % 32, count(*), clock_now() from stored
  on conflict (webhook_id, part) do update set
    count = c.count + excluded.count, last_at = greatest(c.last_at, excluded.last_at)`

const textOf = (text: string) => `convert_from(decode('${Buffer.from(text).toString('hex')}', 'hex'), 'UTF8')`

/** Creates copies of a session, for the members in turn. Their digests are computed from the numbers from 1 on. */
export const numberSessions = (
  db: Database,
  kind: 'refresh' | 'logout',
  tokenDigest: string,
  count: number,
  members: readonly string[],
) =>
  inBatches(
    db,
    count,
    async (size, first) => sql`
      insert into sessions select r.* from sessions t, ${numbered(members, size, first)},
        lateral jsonb_populate_record(t, jsonb_build_object('id', md5(${kind} || n)::uuid,
          'token_digest', encode(sha256((${kind} || n)::bytea), 'base64'),
          'refresh_digest', encode(sha256((${kind} || ' refresh' || n)::bytea), 'base64'),
          'member_id', numbered.member_id)) r
      where t.token_digest = ${tokenDigest}`,
  )

/** Creates copies of a code in the same way. */
export const numberCodes = (db: Database, codeDigest: string, count: number, members: readonly string[]) =>
  inBatches(
    db,
    count,
    async (size, first) => sql`
      insert into authorization_codes select r.* from authorization_codes t, ${numbered(members, size, first)},
        lateral jsonb_populate_record(t, jsonb_build_object(
          'digest', encode(sha256(('exchange' || n)::bytea), 'base64'), 'member_id', numbered.member_id,
          'expires_at', clock_now() + interval '1 hour')) r
      where t.digest = ${codeDigest}`,
  )

/** Returns the SQL of `size` numbers from `first` + 1 on, each with a member. */
function numbered(members: readonly string[], size: number, first: number): Sql {
  const taken = Array.from({ length: size }, (_, i) => members[(first + i) % members.length])
  return sql`(
    select ${first}::bigint + i as n, m as member_id from unnest(${taken}::text[]) with ordinality as x (m, i)) numbered`
}
