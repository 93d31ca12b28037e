-- The mirror of the chat platform: servers, roles, members and who is in which server with which roles. Ids of the
-- platform are text, compared byte by byte: they are 64-bit unsigned and never arithmetic.

create table servers (
  id text collate "C" primary key,
  name text not null,
  icon text,
  is_main boolean not null default false,
  -- As of when the platform told the roles.
  roles_synced_at timestamptz(3),
  -- Until when the gateway vouches for the mirror of this server, and since when; null without one.
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
  -- Only one that the platform says is verified.
  email text,
  preferred_name text,
  -- In the main server now; kept by triggers.
  is_club_member boolean not null default false,
  -- A member of at least one registered server now; kept by triggers.
  is_current boolean not null default false,
  -- What a search looks into: user name and global name in small letters. Names of the platform have 32 characters;
  -- whatever else comes is cut, because an index takes no more.
  search_text text collate "C" not null generated always as (
    lower(left(username, 100)) || chr(10) || lower(left(coalesce(global_name, ''), 100))) stored,
  -- As of when the platform told what the profile says: for an answer, when it was asked for. Written later, an old
  -- answer would pass for a new one, and keep a newer one out.
  told_at timestamptz(3) not null default clock_now(),
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now()
);

-- The list in its order, a count of it, and a search too short for trigrams, without touching the table.
create index members_current on members (search_text, id) include (is_club_member) where is_current;

-- Substrings by their trigrams. Where the extension is not to be had, as in the embedded engine, a search reads
-- members_current from end to end, which is quick as long as there are thousands and not millions.
do $$ begin
  if exists (select from pg_available_extensions where name = 'pg_trgm') then
    create extension if not exists pg_trgm;
    create index members_search on members using gin (search_text gin_trgm_ops) where is_current;
  end if;
exception when insufficient_privilege then
  raise notice 'Without the extension pg_trgm members are searched without an index.';
end $$;

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
  -- As of when the platform told this.
  synced_at timestamptz(3) not null default clock_now(),
  -- members.search_text of the member; kept by triggers, also where a statement does not bring it.
  search_text text collate "C" not null default '',
  -- role_ids, as far as an entry of an index has room for them: whoever holds more is looked up by key.
  indexed_role_ids text[] generated always as (
    case when cardinality(role_ids) <= 64 then role_ids end) stored,
  primary key (server_id, member_id)
) with (fillfactor = 80);

create index memberships_by_member on memberships (member_id);

-- Members of one server in the platform's order, which is that of numbers.
create index memberships_current on memberships (server_id, length(member_id), member_id) where left_at is null;

-- Who holds a role. Most roles are worn by few.
create index memberships_roles on memberships using gin (role_ids) where left_at is null;

-- Memberships in the order of member lists: a page deep in the list of a server or role is found along this index.
-- "POSIX" orders as "C" does, and only who asks for it gets this index: without statistics the planner would take it for
-- look-ups by member_id, and read it from end to end each time.
create index memberships_by_name on memberships (search_text, member_id collate "POSIX")
  include (server_id, indexed_role_ids) where left_at is null;

-- A new name of a member is that of their memberships, too. Without scans: a plan that was made while the tables were
-- nearly empty serves the connection until they are analyzed.
create function rename_memberships() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  update memberships set search_text = new.search_text where member_id = new.id;
  return null;
end $$;
comment on function rename_memberships is 'Copies search_text of the member to their memberships.';

create trigger members_renamed after update on members
  for each row when (old.search_text is distinct from new.search_text) execute function rename_memberships();
comment on trigger members_renamed on members is
  'Lists of a server are read along an index of memberships by name, and a generated column cannot read another table.';

-- Makes is_current and is_club_member of these members true to their memberships. Their rows are locked first,
-- and read again then: of two memberships that end at once, the later one must see the other ended. Each member is
-- looked up by key, also while nobody has counted the tables yet, as in an embedded engine that never does: `offset 0`
-- keeps the planner from reading all memberships for every few members.
create function keep_current_members(ids text[]) returns void language plpgsql as $$
begin
  perform from members where id = any(ids) order by length(id), id for no key update;
  update members u set is_current = now.is_current, is_club_member = now.is_club_member
  from (
    select one.id, held.is_current, held.is_club_member
    from unnest(ids) as one (id) cross join lateral (
      select count(*) > 0 as is_current, coalesce(bool_or(v.is_main), false) as is_club_member
      from memberships m join servers v on v.id = m.server_id and v.removed_at is null
      where m.member_id = one.id and m.left_at is null offset 0) held
    offset 0) now
  where u.id = now.id
    and (u.is_current, u.is_club_member) is distinct from (now.is_current, now.is_club_member);
end $$;

-- Names are set here where the statement did not bring them. They are also compared once more, now that the members' rows
-- are locked: the name of one who was renamed while the membership was inserted was read too early, and whoever renamed
-- them did not see the membership yet.
create function keep_joined_members() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  perform keep_current_members(array(select distinct member_id from changed));
  update memberships m set search_text = late.search_text
  from (
    select c.server_id, c.member_id, u.search_text from changed c cross join lateral (
      select u.search_text from members u where u.id = c.member_id offset 0) u
    where u.search_text <> c.search_text offset 0) late
  where m.server_id = late.server_id and m.member_id = late.member_id;
  return null;
end $$;
comment on function keep_joined_members is 'Sets is_current and is_club_member of the members, and search_text of the memberships.';

-- A statement at a time: a sync inserts hundreds.
create trigger memberships_joined after insert on memberships referencing new table as changed
  for each statement execute function keep_joined_members();
comment on trigger memberships_joined on memberships is
  'Lists and counts are read from these columns, which depend on memberships and servers alike. Of two changes of one member at once the later one must see the other: it locks the member and looks again.';

create function keep_returned_member() returns trigger language plpgsql as $$
begin
  perform keep_current_members(array[new.member_id]);
  return null;
end $$;
comment on function keep_returned_member is 'Sets is_current and is_club_member of the member.';

create trigger memberships_left after update of left_at on memberships
  for each row when (old.left_at is distinct from new.left_at) execute function keep_returned_member();
comment on trigger memberships_left on memberships is
  'As memberships_joined, for whoever leaves or comes back. Most updates of memberships are of neither kind, and cost nothing here.';

create function keep_members_of_server() returns trigger language plpgsql as $$
begin
  perform keep_current_members(array(
    select member_id from memberships where server_id = new.id and left_at is null));
  return null;
end $$;
comment on function keep_members_of_server is 'Sets is_current and is_club_member of all members of the server.';

create trigger servers_members after update of is_main, removed_at on servers
  for each row when ((old.is_main, old.removed_at) is distinct from (new.is_main, new.removed_at))
  execute function keep_members_of_server();
comment on trigger servers_members on servers is
  'A server that is removed, or becomes the main one, changes who is a member anywhere and who is a club member, in the same commit.';
