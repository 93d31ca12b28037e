-- Events to project backends, written by triggers in the transaction of the change, so that no way of ending a session
-- can forget to tell. Of a change that concerns nobody's session nothing is written.

-- What happened to a project's sessions, members and settings. Read by the event streams; kept for a day.
create table outbox (
  id bigint generated always as identity primary key,
  -- Ids are taken before commit, so a later id may be seen first. Whoever reads in order reads by (xid, id)
  -- up to the oldest transaction that is still under way: pg_snapshot_xmin(pg_current_snapshot()).
  xid xid8 not null default pg_current_xact_id(),
  project_id uuid not null references projects (id),
  type text not null,
  data jsonb not null,
  created_at timestamptz not null default clock_now()
);

create index outbox_by_project on outbox (project_id, xid, id);
create index outbox_by_order on outbox (xid, id);
-- The clean-up reads by age.
create index outbox_by_time on outbox (created_at);

-- A row at a time: `when` costs what is none of our business no call, which is nearly every update.
create function tell_session_end() returns trigger language plpgsql as $$
begin
  insert into outbox (project_id, type, data)
  values (new.project_id, 'session.revoked', jsonb_build_object(
    'sessionId', new.id, 'memberId', new.member_id, 'serverId', new.server_id, 'reason', new.revoked_reason));
  return null;
end $$;
comment on function tell_session_end is 'Writes the event session.revoked to the outbox.';

create trigger sessions_ended after update on sessions for each row
  when (old.revoked_at is null and new.revoked_at is not null and new.project_id is not null)
  execute function tell_session_end();
comment on trigger sessions_ended on sessions is
  'Sessions end in many places of the sources, and none may forget to tell the project.';

create function tell_session_rotation() returns trigger language plpgsql as $$
begin
  insert into outbox (project_id, type, data)
  values (new.project_id, 'session.rotated', jsonb_build_object(
    'sessionId', new.id, 'memberId', new.member_id, 'serverId', new.server_id, 'expiresAt', iso(new.expires_at)));
  return null;
end $$;
comment on function tell_session_rotation is 'Writes the event session.rotated to the outbox.';

create trigger sessions_rotated after update on sessions for each row
  when (old.token_digest <> new.token_digest and new.project_id is not null)
  execute function tell_session_rotation();
comment on trigger sessions_rotated on sessions is
  'Every way of refreshing a session must tell whoever keeps an answer for the old token.';

-- Told to the projects that hold a live session of this member in this server: one look into sessions_of_server.
create function tell_membership() returns trigger language plpgsql as $$
begin
  insert into outbox (project_id, type, data)
  select s.project_id, tg_argv[0], jsonb_build_object('memberId', old.member_id, 'serverId', old.server_id)
  from sessions s
  where s.server_id = old.server_id and s.member_id = old.member_id and s.revoked_at is null
    and s.expires_at > clock_now() and s.project_id is not null
  group by s.project_id;
  return null;
end $$;
comment on function tell_membership is 'Writes the named event to the outbox, for each project that has a live session of the member in the server.';

create trigger memberships_roles_told after update on memberships for each row
  when (old.role_ids is distinct from new.role_ids and old.left_at is null and new.left_at is null)
  execute function tell_membership('member.roles_changed');
comment on trigger memberships_roles_told on memberships is
  'Logins, reads, syncs and the gateway all write roles, and none may forget to tell the projects.';
create trigger memberships_end_told after update on memberships for each row
  when (old.left_at is null and new.left_at is not null)
  execute function tell_membership('member.left');
comment on trigger memberships_end_told on memberships is
  'Logins, reads, syncs and the gateway all end memberships, and none may forget to tell the projects.';

create function tell_project_end() returns trigger language plpgsql as $$
begin
  insert into outbox (project_id, type, data)
  values (new.id, 'project.disabled', jsonb_build_object(
    'projectId', new.id, 'reason', case when new.deleted_at is null then 'deactivated' else 'deleted' end));
  return null;
end $$;
comment on function tell_project_end is 'Writes the event project.disabled to the outbox.';

create trigger projects_end_told after update on projects for each row
  when ((old.deactivated_at is null and new.deactivated_at is not null)
    or (old.deleted_at is null and new.deleted_at is not null))
  execute function tell_project_end();
comment on trigger projects_end_told on projects is
  'Every backend of a project must hear that it is switched off or deleted.';

create function tell_key_end() returns trigger language plpgsql as $$
begin
  insert into outbox (project_id, type, data)
  values (new.project_id, 'project.disabled', jsonb_build_object('projectId', new.project_id,
    'reason', case when new.replaced_at is null then 'key_revoked' else 'key_regenerated' end));
  return null;
end $$;
comment on function tell_key_end is 'Writes the event project.disabled to the outbox.';

create trigger api_keys_end_told after update on api_keys for each row
  when (old.revoked_at is null and new.revoked_at is not null)
  execute function tell_key_end();
comment on trigger api_keys_end_told on api_keys is
  'Every way of revoking or replacing a key must tell those who use it.';

create function tell_access_change() returns trigger language plpgsql as $$
begin
  insert into outbox (project_id, type, data)
  values (old.project_id, 'reset', jsonb_build_object('reason', 'access_changed'));
  return null;
end $$;
comment on function tell_access_change is 'Writes the event reset to the outbox.';

create trigger server_access_end_told after delete on server_access
  for each row when (old.can_read) execute function tell_access_change();
comment on trigger server_access_end_told on server_access is
  'A mapping that ends takes many sessions with it: told as one, forget what you keep.';
create trigger server_access_change_told after update on server_access
  for each row when (old.can_read and not new.can_read) execute function tell_access_change();
comment on trigger server_access_change_told on server_access is
  'A mapping that loses READ takes many sessions with it.';

create function tell_internal_end() returns trigger language plpgsql as $$
begin
  insert into outbox (project_id, type, data)
  values (new.id, 'reset', jsonb_build_object('reason', 'access_changed'));
  return null;
end $$;
comment on function tell_internal_end is 'Writes the event reset to the outbox.';

create trigger projects_internal_told after update on projects for each row
  when (old.is_internal and not new.is_internal)
  execute function tell_internal_end();
comment on trigger projects_internal_told on projects is
  'An internal project may use the main server without a mapping: taking that away ends many sessions at once.';

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
comment on function tell_server_change is 'Writes the event reset to the outbox, for each project that may use the server.';

create trigger servers_change_told after update on servers for each row
  when ((old.is_main, old.removed_at) is distinct from (new.is_main, new.removed_at))
  execute function tell_server_change();
comment on trigger servers_change_told on servers is
  'A server that is removed, or whose main flag moves, makes sessions of several projects good or bad at once.';
