-- Registered projects and their keys. State is a timestamp: whether, and when.

create table projects (
  id uuid primary key,
  name text not null,
  -- Two names with one key are one name.
  name_key text collate "C" not null generated always as (project_name_key(name)) stored,
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

create unique index projects_name_key on projects (name_key) where deleted_at is null;

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
