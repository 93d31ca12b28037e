-- The servers of the chat platform and their roles, as the platform reported them. IDs of the platform are unsigned
-- 64-bit numbers. They are stored as text, compared byte by byte, and never used in arithmetic.

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
comment on table servers is 'The servers of the chat platform that are registered in this service.';
comment on column servers.main_since is
  'When the server last became the main server again. Null: it was always the main server, or never.';
comment on column servers.roles_synced_at is 'The roles are as the platform reported them at this time.';
comment on column servers.live_until is
  'Until this time, the gateway guarantees that the mirror of the server is current. Null: it does not.';
comment on column servers.live_as_of is 'The mirror of the server contains every change up to this time.';
comment on column servers.available is 'False while the platform has an outage of this server.';

create unique index servers_one_main on servers (is_main) where is_main;
comment on index servers_one_main is
  'Permits only one main server, even if two transactions try to set one at the same time.';

create function note_main_since() returns trigger language plpgsql as $$
begin
  new.main_since := date_trunc('milliseconds', clock_now() + (clock_timestamp() - now()));
  return new;
end $$;
comment on function note_main_since is 'Sets main_since of the server.';

create trigger servers_main_again before update on servers for each row
  when (not old.is_main and new.is_main) execute function note_main_since();
comment on trigger servers_main_again on servers is
  'The sessions of internal projects ended when another server became the main server. They must not become valid again.';

create table roles (
  server_id text collate "C" not null references servers on delete cascade,
  id text collate "C" not null,
  name text not null,
  color integer not null default 0,
  position integer not null default 0,
  primary key (server_id, id)
);
comment on table roles is 'The roles of each server.';
comment on column roles.color is 'The color as a 24-bit RGB number. 0: the default color.';
comment on column roles.position is 'The rank in the server. A higher number is a higher role.';
