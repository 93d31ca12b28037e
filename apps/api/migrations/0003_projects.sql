-- Registered projects, their keys and what servers they may use. State is a timestamp: whether, and when.

create table projects (
  id uuid primary key,
  name text not null,
  description text,
  is_internal boolean not null default false,
  redirect_uris text[] not null default '{}',
  -- Sealed: the address is itself a credential. The host is kept in clear to be shown.
  webhook_url_sealed bytea,
  webhook_url_host text,
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  deactivated_at timestamptz(3),
  deleted_at timestamptz(3)
);

create unique index projects_name on projects (lower(name)) where deleted_at is null;

create table api_keys (
  id uuid primary key,
  project_id uuid not null references projects,
  prefix text not null,
  digest text collate "C" not null unique,
  created_at timestamptz(3) not null default clock_now(),
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  -- Set when a newer key took its place: such a key never comes back.
  replaced_at timestamptz(3)
);

create unique index api_keys_newest on api_keys (project_id) where replaced_at is null;

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
