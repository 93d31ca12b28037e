-- Holds the registered projects, their API keys, and their owners. State is a timestamp: it says whether and when.

create table projects (
  id uuid primary key,
  name text not null,
  name_key text collate "C" not null generated always as (project_name_key(name)) stored,
  description text,
  is_internal boolean not null default false,
  internal_since timestamptz,
  redirect_uris text[] not null default '{}',
  webhook_url_sealed bytea,
  webhook_url_host text,
  group_names jsonb,
  only_named_groups boolean not null default false,
  accent_color text,
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  active_since timestamptz,
  deactivated_at timestamptz(3),
  deleted_at timestamptz(3)
);
comment on table projects is 'Applications that sign members in and read the mirror.';
comment on column projects.name_key is 'Two names with the same key count as one name.';
comment on column projects.is_internal is 'The project may read the main server without a mapping.';
comment on column projects.internal_since is
  'When the project last became internal while it could not read the main server. Null: never.';
comment on column projects.webhook_url_sealed is 'The address for notifications, sealed because it is a credential.';
comment on column projects.webhook_url_host is 'The host of that address, to be shown.';
comment on column projects.group_names is
  'The name of the group that a role gives, by role ID. Null: each role gives its own name.';
comment on column projects.only_named_groups is 'Roles that group_names does not list give no group.';
comment on column projects.accent_color is 'The color of buttons on pages that members see, as #rrggbb. Null: the default.';
comment on column projects.active_since is 'When the project was last reactivated. Null: never.';

create unique index projects_name_key on projects (name_key) where deleted_at is null;

create function note_active_since() returns trigger language plpgsql as $$
begin
  -- This time is later than the start of every transaction that saw the project active: reactivation waits for
  -- deactivation. So a sign-in that is just finishing needs no lock.
  new.active_since := date_trunc('milliseconds', clock_now() + (clock_timestamp() - now()));
  return new;
end $$;
comment on function note_active_since is 'Sets active_since of the project.';

create trigger projects_active_again before update on projects for each row
  when (old.deactivated_at is not null and new.deactivated_at is null)
  execute function note_active_since();
comment on trigger projects_active_again on projects is
  'Events and logout tokens reported that the sessions of a deactivated project have ended. Reactivation must not revive them.';

create table project_logos (
  project_id uuid primary key references projects,
  media_type text not null,
  bytes bytea not null,
  digest text collate "C" not null
);
comment on table project_logos is 'Logos of projects, in a table of their own: lists of projects never read the bytes.';
comment on column project_logos.digest is 'SHA-256 of the bytes, in base64url. Caches compare it.';

create table api_keys (
  id uuid primary key,
  project_id uuid not null references projects,
  prefix text not null,
  digest text collate "C" not null unique,
  note text,
  created_at timestamptz(3) not null default clock_now(),
  last_used_at timestamptz(3),
  uses bigint not null default 0,
  uses_before bigint not null default 0,
  expires_at timestamptz(3),
  ending_told_at timestamptz(3),
  successor_id uuid references api_keys deferrable initially deferred,
  replaced_at timestamptz(3),
  revoked_at timestamptz(3)
);
comment on table api_keys is 'API keys of projects, by their digest.';
comment on column api_keys.prefix is 'The first characters of the key, to be shown.';
comment on column api_keys.note is 'The purpose of the key, as its creator described it.';
comment on column api_keys.uses_before is 'Uses until the key was replaced. The difference from uses shows clients that still send a replaced key.';
comment on column api_keys.expires_at is
  'The key is invalid from then on: its own expiry, or the end of the grace period after its replacement.';
comment on column api_keys.ending_told_at is 'When the project was notified that the key is about to expire.';
comment on column api_keys.successor_id is
  'The key that replaces this one; revoking it revokes this key too. Null for a key that was added beside others.';
comment on column api_keys.replaced_at is 'When a newer key replaced this one. A replaced key is never restored.';

create unique index api_keys_newest on api_keys (project_id) where replaced_at is null;
create index api_keys_by_project on api_keys (project_id, created_at desc, id desc);
create index api_keys_ending on api_keys (expires_at) where revoked_at is null and expires_at is not null;

create view working_keys as
  select id, project_id, digest, prefix, expires_at from api_keys
  where revoked_at is null and (expires_at is null or expires_at > clock_now());
comment on view working_keys is 'API keys that are valid now: the one definition.';

create table project_owners (
  project_id uuid primary key references projects,
  role_ids text[] not null default '{}',
  member_ids text[] not null default '{}'
);
comment on table project_owners is 'Lists the members who manage a project besides System Admins.';
comment on column project_owners.role_ids is 'Members with one of these roles of the main server manage the project.';
