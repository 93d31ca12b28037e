-- The mirror of the chat platform: servers, roles, members and who is in which server with which roles.
-- Ids of the platform are text, compared byte by byte: they are 64-bit unsigned and never arithmetic.

create table servers (
  id text collate "C" primary key,
  name text not null,
  icon text,
  is_main boolean not null default false,
  -- Counts every change of the server's roles. A stored answer names the version it was made from.
  roles_version bigint not null default 0,
  roles_synced_at timestamptz(3),
  -- Until when the gateway vouches for the mirror of this server; null without one.
  live_until timestamptz(3),
  live_as_of timestamptz(3),
  available boolean not null default true,
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  removed_at timestamptz(3)
);

-- At most one main server, whoever races.
create unique index servers_one_main on servers (is_main) where is_main;

create table roles (
  server_id text collate "C" not null references servers on delete cascade,
  id text collate "C" not null,
  name text not null,
  color integer not null default 0,
  position integer not null default 0,
  primary key (server_id, id)
);

create table members (
  id text collate "C" primary key,
  username text not null,
  global_name text,
  avatar text,
  email text,
  preferred_name text,
  is_club_member boolean not null default false,
  -- The finished JSON of everything that does not depend on a server; kept by a trigger.
  profile_json text not null default '',
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now()
);

create table memberships (
  server_id text collate "C" not null references servers on delete cascade,
  member_id text collate "C" not null references members,
  nick text,
  role_ids text[] not null default '{}',
  joined_at timestamptz(3),
  pending boolean not null default false,
  left_at timestamptz(3),
  -- Counts the times the member came back. A session names the one it was made in, so that
  -- rejoining revives nothing.
  generation integer not null default 0,
  synced_at timestamptz(3) not null default clock_now(),
  -- The finished JSON of nickname and roles, and the version of the server's roles it was made from.
  answer_json text,
  answer_roles_version bigint,
  primary key (server_id, member_id)
) with (fillfactor = 80);

create index memberships_by_member on memberships (member_id);

-- members.profile_json follows every change of its parts, in the same statement.
create function keep_member_profile() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if (new.username, new.global_name, new.avatar, new.email, new.preferred_name)
       is not distinct from (old.username, old.global_name, old.avatar, old.email, old.preferred_name) then
      return new;
    end if;
    new.updated_at = clock_now();
  end if;
  new.profile_json =
    '"id":"' || new.id
    || '","username":' || to_json(new.username)
    || ',"avatar":' || coalesce(to_json(new.avatar)::text, 'null')
    || ',"email":' || coalesce(to_json(new.email)::text, 'null')
    || ',"globalName":' || coalesce(to_json(new.global_name)::text, 'null')
    -- The first 42 bits of a snowflake are the milliseconds since 2015.
    || ',"joinedAt":"' || iso(to_timestamp((div(new.id::numeric, 4194304) + 1420070400000) / 1000.0))
    || '","preferredName":' || coalesce(to_json(new.preferred_name)::text, 'null')
    || ',"createdAt":"' || iso(new.created_at)
    || '","updatedAt":"' || iso(new.updated_at) || '"';
  return new;
end $$;

create trigger members_profile before insert or update on members
  for each row execute function keep_member_profile();

-- A change of nickname, roles or membership drops the finished answer; coming back is a new generation.
create function keep_membership() returns trigger language plpgsql as $$
begin
  if (new.nick, new.role_ids, new.left_at) is distinct from (old.nick, old.role_ids, old.left_at) then
    new.answer_json = null;
  end if;
  if old.left_at is not null and new.left_at is null then
    new.generation = old.generation + 1;
  end if;
  return new;
end $$;

create trigger memberships_answer before update on memberships
  for each row execute function keep_membership();

-- members.is_club_member: in the main server now.
create function keep_club_member() returns trigger language plpgsql as $$
begin
  update members set is_club_member = (new.left_at is null)
  where id = new.member_id and is_club_member <> (new.left_at is null)
    and exists (select from servers where id = new.server_id and is_main);
  return null;
end $$;

create trigger memberships_club_insert after insert on memberships
  for each row execute function keep_club_member();
create trigger memberships_club_update after update of left_at on memberships
  for each row when (old.left_at is distinct from new.left_at) execute function keep_club_member();

create function keep_club_members() returns trigger language plpgsql as $$
begin
  update members u set is_club_member = not u.is_club_member
  where u.is_club_member <> exists (
    select from memberships m join servers v on v.id = m.server_id
    where m.member_id = u.id and m.left_at is null and v.is_main and v.removed_at is null);
  return null;
end $$;

create trigger servers_club after update of is_main, removed_at on servers
  for each row when ((old.is_main, old.removed_at) is distinct from (new.is_main, new.removed_at))
  execute function keep_club_members();

-- Any change of a server's roles makes every finished answer of that server out of date.
create function count_roles_version() returns trigger language plpgsql as $$
begin
  update servers set roles_version = roles_version + 1
  where id in (select server_id from changed);
  return null;
end $$;

create trigger roles_inserted after insert on roles referencing new table as changed
  for each statement execute function count_roles_version();
create trigger roles_updated after update on roles referencing new table as changed
  for each statement execute function count_roles_version();
create trigger roles_deleted after delete on roles referencing old table as changed
  for each statement execute function count_roles_version();

-- The finished JSON of one membership: the end of the member object, then the roles, highest first.
create function membership_answer(server text, nick text, held text[]) returns text
language sql stable as $$
  select '"displayName":' || coalesce(to_json(nick)::text, 'null') || '},"roles":['
    || coalesce((
      select string_agg(
        '{"roleId":"' || r.id || '","roleName":' || to_json(r.name)
        || ',"roleColor":' || coalesce(nullif(r.color, 0)::text, 'null')
        || ',"rolePosition":' || r.position || '}',
        ',' order by r.position desc, r.id)
      from roles r where r.server_id = server and r.id = any(held)), '')
    || ']'
$$;
