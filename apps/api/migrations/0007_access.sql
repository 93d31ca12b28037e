-- Which project may use which server, and the trail of every change of that.

create table server_access (
  project_id uuid not null references projects,
  server_id text collate "C" not null references servers,
  can_read boolean not null default true,
  can_send_messages boolean not null default false,
  can_manage_webhooks boolean not null default false,
  scopes text[] not null,
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  primary key (project_id, server_id)
);

create index server_access_by_server on server_access (server_id);

-- What a project may reach: a mapping with READ, or the main server for an internal project.
create view readable_servers as
  select a.project_id, a.server_id
  from server_access a join servers v on v.id = a.server_id
  where a.can_read and v.removed_at is null
  union
  select p.id, v.id
  from projects p join servers v on v.is_main and v.removed_at is null
  where p.is_internal;

create table access_trail (
  id uuid primary key,
  -- The order in which changes took effect: a transaction that waited began before the one it waited for.
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

create index access_trail_project on access_trail (project_id, seq desc);
create index access_trail_server on access_trail (server_id, seq desc);

create function refuse_trail_change() returns trigger language plpgsql as $$
begin
  raise exception 'The access trail is append-only.' using errcode = 'insufficient_privilege';
end $$;
comment on function refuse_trail_change is 'Refuses the statement.';

create trigger access_trail_append_only before update or delete or truncate on access_trail
  for each statement execute function refuse_trail_change();
comment on trigger access_trail_append_only on access_trail is
  'Also the owner of the tables cannot rewrite the trail without taking the trigger away first.';
