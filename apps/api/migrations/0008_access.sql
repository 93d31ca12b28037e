-- The servers that each project may use, and a record of every change.

create table server_access (
  project_id uuid not null references projects,
  server_id text collate "C" not null references servers,
  can_read boolean not null default true,
  can_send_messages boolean not null default false,
  can_manage_webhooks boolean not null default false,
  scopes text[] not null,
  readable_since timestamptz,
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  primary key (project_id, server_id)
);
comment on table server_access is 'Which projects may use which servers ("mappings").';
comment on column server_access.readable_since is
  'When READ was last granted to a project that could not read the server before. Null: it always could.';

create index server_access_by_server on server_access (server_id);

create view readable_servers as
  select a.project_id, a.server_id
  from server_access a join servers v on v.id = a.server_id
  where a.can_read and v.removed_at is null
  union
  select p.id, v.id
  from projects p join servers v on v.is_main and v.removed_at is null
  where p.is_internal;
comment on view readable_servers is
  'The servers that each project may read: through a mapping with READ, or as an internal project the main server.';

create function note_readable_since() returns trigger language plpgsql as $$
begin
  -- An internal project can read the main server anyway, so for it, a mapping to that server begins nothing new.
  if not exists (
    select from readable_servers r where r.project_id = new.project_id and r.server_id = new.server_id) then
    new.readable_since := date_trunc('milliseconds', clock_now() + (clock_timestamp() - now()));
  end if;
  return new;
end $$;
comment on function note_readable_since is
  'Sets readable_since of the mapping, unless the project can already read the server.';

create trigger server_access_given before insert on server_access for each row
  when (new.can_read) execute function note_readable_since();
comment on trigger server_access_given on server_access is
  'A new mapping must not make sessions valid again that ended with an earlier one.';
create trigger server_access_read_again before update on server_access for each row
  when (not old.can_read and new.can_read) execute function note_readable_since();
comment on trigger server_access_read_again on server_access is
  'Events and logout tokens have reported that the sessions ended with READ. Granting it again must not make them valid again.';

create function note_internal_since() returns trigger language plpgsql as $$
begin
  -- A project with a mapping to the main server can read it anyway, so nothing new begins.
  if not exists (
    select from readable_servers r join servers v on v.id = r.server_id and v.is_main where r.project_id = new.id) then
    new.internal_since := date_trunc('milliseconds', clock_now() + (clock_timestamp() - now()));
  end if;
  return new;
end $$;
comment on function note_internal_since is
  'Sets internal_since of the project, unless it can already read the main server.';

create trigger projects_internal_again before update on projects for each row
  when (not old.is_internal and new.is_internal) execute function note_internal_since();
comment on trigger projects_internal_again on projects is
  'Sessions that ended while the project was not internal must not become valid again.';

create table access_trail (
  id uuid primary key,
  seq bigint generated always as identity unique,
  at timestamptz(3) not null default clock_now(),
  action text not null check (action in ('GRANT', 'UPDATE', 'REVOKE')),
  project_id uuid not null,
  project_name text not null,
  server_id text collate "C" not null,
  server_name text not null,
  actor_id text,
  actor_username text,
  before json,
  after json
);
comment on table access_trail is 'A record of every change of server_access.';
comment on column access_trail.seq is
  'The order in which the changes took effect. The times cannot tell, because a transaction that waited for another one began before it.';
comment on column access_trail.actor_id is 'The administrator. Null if this person was erased.';

create index access_trail_project on access_trail (project_id, seq desc);
create index access_trail_server on access_trail (server_id, seq desc);

create function refuse_trail_change() returns trigger language plpgsql as $$
begin
  if (tg_op, coalesce(current_setting('rolecall.audit', true), '')) = ('UPDATE', 'erasure') then return null; end if;
  raise exception 'The access trail is append-only.' using errcode = 'insufficient_privilege';
end $$;
comment on function refuse_trail_change is
  'Rejects the statement, unless its transaction has declared that it erases personal values.';

create trigger access_trail_append_only before update or delete or truncate on access_trail
  for each statement execute function refuse_trail_change();
comment on trigger access_trail_append_only on access_trail is
  'Even the owner of the tables cannot change the trail without removing the trigger first.';

create function check_trail_erasure() returns trigger language plpgsql as $$
begin
  if num_nonnulls(new.actor_id, new.actor_username) = 0
    and (new.id, new.seq, new.at, new.action, new.project_id, new.project_name, new.server_id, new.server_name,
      new.before::text, new.after::text)
    is not distinct from (old.id, old.seq, old.at, old.action, old.project_id, old.project_name, old.server_id,
      old.server_name, old.before::text, old.after::text) then return new; end if;
  raise exception 'The access trail is append-only.' using errcode = 'insufficient_privilege';
end $$;
comment on function check_trail_erasure is 'Rejects every change except the removal of the actor.';

create trigger access_trail_erasure_only before update on access_trail
  for each row execute function check_trail_erasure();
comment on trigger access_trail_erasure_only on access_trail is
  'Erasing a person is the only permitted change, and must not become a way to change anything else.';
