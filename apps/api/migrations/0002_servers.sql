-- Mirrors the servers of the chat platform and their roles.
-- IDs of the platform are text that is compared byte by byte: they are unsigned 64-bit numbers and never used in arithmetic.

create table servers (
  id text collate "C" primary key,
  name text not null,
  icon text,
  is_main boolean not null default false,
  main_since timestamptz,
  roles_synced_at timestamptz(3),
  live_until timestamptz(3),
  live_as_of timestamptz(3),
  available boolean not null default true,
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  removed_at timestamptz(3)
);
comment on table servers is 'Servers of the chat platform that this service is registered for.';
comment on column servers.main_since is
  'When the server last became the main server again. Null: it always was, or never.';
comment on column servers.roles_synced_at is 'The platform returned the roles as of this time.';
comment on column servers.live_until is
  'The gateway vouches for the mirror of this server until then. Null: it does not.';
comment on column servers.live_as_of is 'The gateway has vouched for the mirror since then.';
comment on column servers.available is 'False during an outage of the server on the platform.';

create unique index servers_one_main on servers (is_main) where is_main;
comment on index servers_one_main is 'Holds the number of main servers at one, also against concurrent changes.';

create function note_main_since() returns trigger language plpgsql as $$
begin
  new.main_since := date_trunc('milliseconds', clock_now() + (clock_timestamp() - now()));
  return new;
end $$;
comment on function note_main_since is 'Sets main_since of the server.';

create trigger servers_main_again before update on servers for each row
  when (not old.is_main and new.is_main) execute function note_main_since();
comment on trigger servers_main_again on servers is
  'Sessions of internal projects that ended when another server became the main server stay ended.';

create table roles (
  server_id text collate "C" not null references servers on delete cascade,
  id text collate "C" not null,
  name text not null,
  color integer not null default 0,
  position integer not null default 0,
  primary key (server_id, id)
);
comment on table roles is 'Roles of each server.';
comment on column roles.color is 'The color as a 24-bit RGB number. 0: the default color.';
comment on column roles.position is 'The rank in the server: a higher number is a higher role.';
