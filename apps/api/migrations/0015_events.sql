-- The events of projects. Triggers write them in the transaction of the change, so that no statement can omit one.

create table outbox (
  id bigint generated always as identity primary key,
  xid xid8 not null default pg_current_xact_id(),
  project_id uuid not null references projects (id),
  type text not null,
  data jsonb not null,
  created_at timestamptz not null default clock_now()
);
comment on table outbox is
  'Events about the sessions, members, and settings of a project. Event streams read them. Rows are deleted after a day.';
comment on column outbox.xid is
  'The transaction. IDs are assigned before the commit, so a higher ID may become visible first. Readers therefore read by (xid, id), up to the oldest transaction in progress: pg_snapshot_xmin(pg_current_snapshot()).';

create index outbox_by_project on outbox (project_id, xid, id);
create index outbox_by_order on outbox (xid, id);
create index outbox_by_time on outbox (created_at);
comment on index outbox_by_time is 'Finds old events, which are deleted.';

-- Runs once per statement, because one statement changes the sessions of many requests. `not in` uses a hash table even
-- on the connections for batches, where a join would compare each row with every other row. The planner only does so
-- within work_mem: without this much, a statement that revokes a million sessions would compare all of them with each
-- other.
create function tell_session_changes() returns trigger language plpgsql set work_mem = '512MB' as $$
begin
  insert into outbox (project_id, type, data)
  select s.project_id, case when s.revoked_at is null then 'session.rotated' else 'session.revoked' end,
    jsonb_build_object('sessionId', s.id, 'memberId', s.member_id, 'serverId', s.server_id)
      || case when s.revoked_at is null then jsonb_build_object('expiresAt', iso(s.expires_at))
        else jsonb_build_object('reason', s.revoked_reason) end
  from present s
  where s.project_id is not null and case when s.revoked_at is null
    then s.token_digest not in (select f.token_digest from former f)
    else s.id not in (select f.id from former f where f.revoked_at is not null) end;
  return null;
end $$;
comment on function tell_session_changes is
  'Adds an event to the outbox for each session that was revoked (session.revoked) or has new tokens (session.rotated).';

create trigger sessions_told after update on sessions referencing old table as former new table as present
  for each statement execute function tell_session_changes();
comment on trigger sessions_told on sessions is
  'Many statements revoke sessions, and each must notify the projects. Clients that cache a response for the old token must learn of every refresh.';

-- Runs once per statement, because a deleted role is removed from hundreds of members at a time. The first call makes
-- the plan. So nested loops are disabled as in record_role_changes, and with `offset 0`, the sessions of each member
-- are looked up by key. JIT is off, because the disabled kinds of plans seem expensive enough to be compiled.
create function tell_membership_changes() returns trigger language plpgsql
  set enable_nestloop = off set enable_seqscan = off set jit = off as $$
begin
  insert into outbox (project_id, type, data)
  select s.project_id, c.type, jsonb_build_object('memberId', c.member_id, 'serverId', c.server_id)
  from (
    select server_id, member_id, case when m.left_at is null then 'member.roles_changed' else 'member.left' end as type
    from changed m join gone o using (server_id, member_id)
    where o.left_at is null and (m.left_at is not null or m.role_ids <> o.role_ids) offset 0) c
  cross join lateral (
    select distinct project_id from sessions
    where server_id = c.server_id and member_id = c.member_id and revoked_at is null
      and expires_at > clock_now() and project_id is not null offset 0) s;
  return null;
end $$;
comment on function tell_membership_changes is
  'Adds an event to the outbox for each member whose roles changed (member.roles_changed) or who left (member.left), for each project with a live session of the member in this server.';

create trigger memberships_told after update on memberships referencing old table as gone new table as changed
  for each statement execute function tell_membership_changes();
comment on trigger memberships_told on memberships is
  'Sign-ins, requests, syncs, and the gateway all write roles and end memberships, and each must notify the projects.';

-- The other triggers run once per row. Their `when` condition excludes almost every update before the function is
-- called.

create function tell_block() returns trigger language plpgsql as $$
begin
  insert into outbox (project_id, type, data)
  select s.project_id, tg_argv[0], jsonb_build_object('memberId', new.member_id)
    || case when tg_argv[0] = 'member.blocked' then jsonb_build_object('until', iso(new.until)) else '{}' end
  from sessions s join projects p on p.id = s.project_id and p.deleted_at is null
  where s.member_id = new.member_id
  group by s.project_id;
  return null;
end $$;
comment on function tell_block is
  'Adds the named event to the outbox for each project that has a stored session of the member, live or ended.';

create trigger member_blocks_begun after insert on member_blocks for each row
  when (new.until is null or new.until > clock_moment())
  execute function tell_block('member.blocked');
comment on trigger member_blocks_begun on member_blocks is 'Every statement that blocks a member must notify the projects.';
create trigger member_blocks_changed after update on member_blocks for each row
  when (old.until is distinct from new.until and (new.until is null or new.until > clock_moment()))
  execute function tell_block('member.blocked');
comment on trigger member_blocks_changed on member_blocks is
  'If the end of a block changes, the event is the same as for a new block.';
create trigger member_blocks_ended after update on member_blocks for each row
  when (old.until is distinct from new.until and new.until <= clock_moment())
  execute function tell_block('member.unblocked');
comment on trigger member_blocks_ended on member_blocks is
  'Every statement that ends a block must notify the projects. A block that expires needs no event, because member.blocked contains its end.';

create function tell_project_end() returns trigger language plpgsql as $$
begin
  insert into outbox (project_id, type, data)
  values (new.id, 'project.disabled', jsonb_build_object(
    'projectId', new.id, 'reason', case when new.deleted_at is null then 'deactivated' else 'deleted' end));
  return null;
end $$;
comment on function tell_project_end is 'Adds the event project.disabled to the outbox.';

create trigger projects_end_told after update on projects for each row
  when ((old.deactivated_at is null and new.deactivated_at is not null)
    or (old.deleted_at is null and new.deleted_at is not null))
  execute function tell_project_end();
comment on trigger projects_end_told on projects is
  'Every backend of a project must learn that the project was deactivated or deleted.';

create function tell_key_end() returns trigger language plpgsql as $$
declare
  has_another boolean := exists (
    select from working_keys w where w.project_id = new.project_id and w.id <> new.id);
begin
  -- If the project has another key, it continues, and only the event streams that use this key end.
  if has_another or new.expires_at <= new.revoked_at then
    insert into outbox (project_id, type, data)
    values (new.project_id, 'key.ended', jsonb_build_object('prefix', new.prefix,
      'reason', case when new.expires_at <= new.revoked_at then 'expired'
        when new.replaced_at is null then 'revoked' else 'regenerated' end));
  end if;
  if not has_another then
    insert into outbox (project_id, type, data)
    values (new.project_id, 'project.disabled', jsonb_build_object('projectId', new.project_id,
      'reason', case when new.replaced_at is null then 'key_revoked' else 'key_regenerated' end));
  end if;
  return null;
end $$;
comment on function tell_key_end is
  'Adds the event key.ended to the outbox, and project.disabled if the project has no other key.';

create trigger api_keys_end_told after update on api_keys for each row
  when (old.revoked_at is null and new.revoked_at is not null)
  execute function tell_key_end();
comment on trigger api_keys_end_told on api_keys is
  'Every statement that revokes or replaces a key must notify the backends that use this key.';

create function tell_key_ending() returns trigger language plpgsql as $$
begin
  insert into outbox (project_id, type, data)
  values (new.project_id, 'key.ending', jsonb_build_object('prefix', new.prefix, 'endsAt', iso(new.expires_at)));
  return null;
end $$;
comment on function tell_key_ending is 'Adds the event key.ending to the outbox.';

create trigger api_keys_ending_told after update on api_keys for each row
  when (old.ending_told_at is null and new.ending_told_at is not null)
  execute function tell_key_ending();
comment on trigger api_keys_ending_told on api_keys is
  'The event and the mark that it was sent are committed together.';

create function tell_access_change() returns trigger language plpgsql as $$
begin
  insert into outbox (project_id, type, data)
  values (old.project_id, 'reset', jsonb_build_object('reason', 'access_changed'));
  return null;
end $$;
comment on function tell_access_change is 'Adds the event reset to the outbox.';

create trigger server_access_end_told after delete on server_access
  for each row when (old.can_read) execute function tell_access_change();
comment on trigger server_access_end_told on server_access is
  'A deleted mapping ends many sessions. One event tells clients to clear their caches.';
create trigger server_access_change_told after update on server_access
  for each row when (old.can_read and not new.can_read) execute function tell_access_change();
comment on trigger server_access_change_told on server_access is
  'A mapping that loses READ ends many sessions. One event tells clients to clear their caches.';

create function tell_project_reset() returns trigger language plpgsql as $$
begin
  insert into outbox (project_id, type, data)
  values (new.id, 'reset', jsonb_build_object('reason', tg_argv[0]));
  return null;
end $$;
comment on function tell_project_reset is 'Adds the event reset to the outbox, with the named reason.';

create trigger projects_internal_told after update on projects for each row
  when (old.is_internal and not new.is_internal)
  execute function tell_project_reset('access_changed');
comment on trigger projects_internal_told on projects is
  'A project that is no longer internal loses the main server, and so many sessions.';
create trigger projects_groups_told after update on projects for each row
  when ((old.group_names, old.only_named_groups) is distinct from (new.group_names, new.only_named_groups))
  execute function tell_project_reset('groups_changed');
comment on trigger projects_groups_told on projects is
  'Clients cache the groups of many sessions. One event tells them to clear their caches.';

create function tell_server_change() returns trigger language plpgsql as $$
begin
  insert into outbox (project_id, type, data)
  select id, 'reset', jsonb_build_object('reason', 'access_changed')
  from (
    select a.project_id as id from server_access a where a.server_id = new.id
    union
    select p.id from projects p where p.is_internal and p.deleted_at is null) concerned;
  return null;
end $$;
comment on function tell_server_change is
  'Adds the event reset to the outbox for each project that may use the server.';

create trigger servers_change_told after update on servers for each row
  when ((old.is_main, old.removed_at) is distinct from (new.is_main, new.removed_at))
  execute function tell_server_change();
comment on trigger servers_change_told on servers is
  'Removing a server, or choosing another main server, affects the sessions of several projects.';
