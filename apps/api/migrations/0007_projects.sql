-- The registered projects with their API keys and owners. A state is stored as a time, which tells both whether and
-- when.

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
comment on table projects is 'Applications that sign in members and read the mirror.';
comment on column projects.name_key is 'Two names with the same key count as the same name.';
comment on column projects.is_internal is 'True if the project may read the main server without a mapping.';
comment on column projects.internal_since is
  'When the project last became internal and could not read the main server before. Null: never.';
comment on column projects.webhook_url_sealed is
  'The address for notifications. It is encrypted, because it is a credential.';
comment on column projects.webhook_url_host is 'The host of that address, which may be shown.';
comment on column projects.group_names is
  'The name of the group that a role gives, by role ID. Null: each role gives a group with its own name.';
comment on column projects.only_named_groups is 'True if roles that are not in group_names give no group.';
comment on column projects.accent_color is
  'The color of buttons on the pages that members see, as #rrggbb. Null: the default color.';
comment on column projects.active_since is 'When the project was last reactivated. Null: never.';

create unique index projects_name_key on projects (name_key) where deleted_at is null;

create function note_active_since() returns trigger language plpgsql as $$
begin
  -- This time is later than the start of every transaction that saw the project active, because a reactivation waits
  -- for the deactivation. So a sign-in that is about to finish needs no lock.
  new.active_since := date_trunc('milliseconds', clock_now() + (clock_timestamp() - now()));
  return new;
end $$;
comment on function note_active_since is 'Sets active_since of the project.';

create trigger projects_active_again before update on projects for each row
  when (old.deactivated_at is not null and new.deactivated_at is null)
  execute function note_active_since();
comment on trigger projects_active_again on projects is
  'Events and logout tokens have reported that the sessions of a deactivated project ended. A reactivation must not make them valid again.';

create table project_logos (
  project_id uuid primary key references projects,
  media_type text not null,
  bytes bytea not null,
  digest text collate "C" not null
);
comment on table project_logos is
  'The logos of projects. They are in a table of their own, so that lists of projects do not read the images.';
comment on column project_logos.digest is 'The SHA-256 digest of the image in base64url. Caches compare it.';

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
comment on table api_keys is 'The API keys of projects, by digest.';
comment on column api_keys.prefix is 'The first characters of the key, which may be shown.';
comment on column api_keys.note is 'The purpose of the key, in the words of its creator.';
comment on column api_keys.uses_before is
  'The number of uses before the key was replaced. If `uses` is greater, a client still sends the replaced key.';
comment on column api_keys.expires_at is
  'The key is invalid from this time on: its own expiry, or the end of the grace period after a replacement.';
comment on column api_keys.ending_told_at is 'When the project was told that the key is about to expire.';
comment on column api_keys.successor_id is
  'The key that replaces this one. If it is revoked, this key is revoked, too. Null if the key was added beside other keys.';
comment on column api_keys.replaced_at is 'When a newer key replaced this one. A replaced key is never restored.';

create unique index api_keys_newest on api_keys (project_id) where replaced_at is null;
create index api_keys_by_project on api_keys (project_id, created_at desc, id desc);
create index api_keys_ending on api_keys (expires_at) where revoked_at is null and expires_at is not null;

create view working_keys as
  select id, project_id, digest, prefix, expires_at from api_keys
  where revoked_at is null and (expires_at is null or expires_at > clock_now());
comment on view working_keys is 'The API keys that are valid now. This is the only definition.';

create table project_owners (
  project_id uuid primary key references projects,
  role_ids text[] not null default '{}',
  member_ids text[] not null default '{}'
);
comment on table project_owners is 'Who manages a project besides System Admins.';
comment on column project_owners.role_ids is 'Members with one of these roles in the main server manage the project.';
