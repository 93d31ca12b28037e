-- The members of the servers, as the platform reported them, and the columns that lists and searches read.

create table members (
  id text collate "C" primary key,
  username text not null,
  global_name text,
  avatar text,
  email text,
  preferred_name text,
  is_club_member boolean not null default false,
  is_current boolean not null default false,
  search_text text collate "C" not null generated always as (
    lower(left(username, 100)) || chr(10) || lower(left(coalesce(global_name, ''), 100))) stored,
  told_at timestamptz(3) not null default clock_now(),
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now()
);
comment on table members is 'People who are or were a member of a registered server.';
comment on column members.email is 'The email address, if the platform has verified it.';
comment on column members.preferred_name is 'The name that the member chose in this service.';
comment on column members.is_club_member is 'True while the member is in the main server. Set by triggers.';
comment on column members.is_current is 'True while the member is in at least one registered server. Set by triggers.';
comment on column members.search_text is
  'The user name and the global name in lower case, for searches. Names longer than the platform permits are cut, because an index entry has a maximum size.';
comment on column members.told_at is
  'The profile is as the platform reported it at this time. For a response, this is the time of the request, so that an old response does not replace a newer one.';

create index members_current on members (search_text, id) include (is_club_member) where is_current;
comment on index members_current is
  'For the member list in its order, its count, and searches that are too short for trigrams. The table itself is not read.';

-- The embedded engine does not have the extension. A search then reads members_current from end to end, which is fast
-- for thousands of members, but not for millions.
do $$ begin
  if exists (select from pg_available_extensions where name = 'pg_trgm') then
    create extension if not exists pg_trgm;
    create index members_search on members using gin (search_text gin_trgm_ops) where is_current;
    comment on index members_search is 'Finds members by a part of their name. Missing where the extension pg_trgm is not available.';
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
  generation integer not null default 0,
  synced_at timestamptz(3) not null default clock_now(),
  search_text text collate "C" not null default '',
  indexed_role_ids text[] generated always as (
    case when cardinality(role_ids) <= 64 then role_ids end) stored,
  other_server_ids text[] collate "C",
  changed_xid xid8 not null default pg_current_xact_id(),
  primary key (server_id, member_id)
) with (fillfactor = 80);
comment on table memberships is 'The members of each server with their roles, including members who have left.';
comment on column memberships.pending is 'The member has not yet accepted the rules of the server.';
comment on column memberships.left_at is 'When the member left. Null: the member is in the server.';
comment on column memberships.generation is
  'How often the member has returned. A session belongs to one generation, so that it does not become valid again when the member returns.';
comment on column memberships.synced_at is 'The membership is as the platform reported it at this time.';
comment on column memberships.search_text is
  'A copy of members.search_text. Set by triggers, even if the statement does not set it.';
comment on column memberships.indexed_role_ids is
  'A copy of role_ids. Null if there are more than fit into an index entry; such members are read by primary key.';
comment on column memberships.other_server_ids is
  'The other servers that the member is in, sorted. Null: none. Set by triggers while the membership is current.';
comment on column memberships.changed_xid is
  'The transaction that last changed something that the change feed shows. Set by triggers.';

create index memberships_by_member on memberships (member_id);
create index memberships_current on memberships (server_id, length(member_id), member_id) where left_at is null;
comment on index memberships_current is
  'For the members of one server in the order of the platform, which compares IDs as numbers.';

-- With pg_trgm, the index also contains the names. Without it, a search finds members by role, and then compares their
-- names.
do $$ begin
  if exists (select from pg_extension where extname = 'pg_trgm') then
    create index memberships_roles on memberships using gin (role_ids, search_text gin_trgm_ops) where left_at is null;
  else
    create index memberships_roles on memberships using gin (role_ids) where left_at is null;
  end if;
end $$;
comment on index memberships_roles is
  'Finds the members with a role, and members of a server or role by a part of their name. Without the extension pg_trgm, it contains only the roles.';

create index memberships_by_name on memberships (search_text, member_id collate "POSIX")
  include (server_id, indexed_role_ids) where left_at is null;
comment on index memberships_by_name is
  'For a page deep in the list of a server or role. "POSIX" sorts like "C", but only statements that name it use this index. Otherwise, the planner would read the whole index to find one member, if it has no statistics.';
create index memberships_changes on memberships (server_id, changed_xid, member_id);

-- The functions that run once per statement disable sequential scans. A connection keeps its first plan until the
-- tables are analyzed, and that plan may be from the time when the tables were almost empty.
create function rename_memberships() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  update memberships set search_text = new.search_text where member_id = new.id;
  return null;
end $$;
comment on function rename_memberships is 'Copies search_text of the member to all their memberships.';

create trigger members_renamed after update on members
  for each row when (old.search_text is distinct from new.search_text) execute function rename_memberships();
comment on trigger members_renamed on members is
  'The member list of a server is read along an index by name, and a generated column cannot read another table.';

create function keep_current_members(ids text[]) returns void language plpgsql as $$
begin
  -- If two memberships of a member end at the same time, the later transaction waits here. It then sees that the other
  -- one has ended.
  perform from members where id = any(ids) order by length(id), id for no key update;
  -- If a server is registered, removed, or made the main server at the same time, one of the two transactions waits
  -- here. It then sees the change of the other.
  perform from servers where id = any(array(
    select server_id from memberships where member_id = any(ids) and left_at is null)) for key share;
  -- With `offset 0`, the planner looks up each member by key, even if the tables were never analyzed, as in the
  -- embedded engine.
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
comment on function keep_current_members is
  'Locks the members and their servers, and sets is_current and is_club_member from the memberships.';

create function keep_other_servers(ids text[]) returns void language plpgsql as $$
begin
  update memberships m set other_server_ids = now.others
  from (
    select one.id as member_id, c.server_id, nullif(array_remove(held.ids, c.server_id), '{}') as others
    from unnest(ids) as one (id) cross join lateral (
      select array_agg(o.server_id order by o.server_id) as ids, count(o.other_server_ids) as known
      from memberships o where o.member_id = one.id and o.left_at is null offset 0) held
    cross join lateral unnest(held.ids) as c (server_id)
    -- Skips the most frequent case: a member who is and was in only one server.
    where cardinality(held.ids) > 1 or held.known > 0
    offset 0) now
  where m.server_id = now.server_id and m.member_id = now.member_id
    and m.other_server_ids is distinct from now.others;
end $$;
comment on function keep_other_servers is
  'Sets other_server_ids in the current memberships of these members. The caller must have called keep_current_members, which locks them.';

create function keep_joined_members() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  ids text[] := array(select distinct member_id from changed);
begin
  -- An insert with `on conflict do update` also fires this trigger if it only updates rows.
  if ids = '{}' then return null; end if;
  perform keep_current_members(ids);
  perform keep_other_servers(ids);
  -- Compares the names again, now that the members are locked. A member may have been renamed during the insert, by a
  -- transaction that did not see the new membership.
  update memberships m set search_text = late.search_text
  from (
    select c.server_id, c.member_id, u.search_text from changed c cross join lateral (
      select u.search_text from members u where u.id = c.member_id offset 0) u
    where u.search_text <> c.search_text offset 0) late
  where m.server_id = late.server_id and m.member_id = late.member_id;
  return null;
end $$;
comment on function keep_joined_members is
  'Sets is_current and is_club_member of the members, and other_server_ids and search_text of their memberships.';

create trigger memberships_joined after insert on memberships referencing new table as changed
  for each statement execute function keep_joined_members();
comment on trigger memberships_joined on memberships is
  'Lists and totals read these columns, which depend on memberships and servers. Runs once per statement, because a sync inserts hundreds of rows.';

create function keep_returned_members() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  -- Uses no join: a plan that was made for one row would compare each row with every other row.
  ids text[] := array(
    select distinct member_id
    from (
      select server_id, member_id, left_at is null as is_in from changed
      union all
      select server_id, member_id, left_at is null from gone) one
    group by server_id, member_id having bool_or(is_in) and not bool_and(is_in));
begin
  if ids <> '{}' then
    perform keep_current_members(ids);
    perform keep_other_servers(ids);
  end if;
  return null;
end $$;
comment on function keep_returned_members is
  'Sets is_current and is_club_member of members who left or returned, and other_server_ids of their memberships.';

create trigger memberships_returned after update on memberships referencing old table as gone new table as changed
  for each statement execute function keep_returned_members();
comment on trigger memberships_returned on memberships is
  'The same as memberships_joined, for members who leave or return.';

create function keep_members_of_server() returns trigger language plpgsql as $$
declare
  ids text[] := array(select member_id from memberships where server_id = new.id and left_at is null);
begin
  -- A dry run is rolled back, so these columns are never read, and updating them would lock every member of the server.
  if coalesce(current_setting('rolecall.rehearsal', true), '') <> 'on' then
    -- Locks the members first, as all writers do. The lock of the server keeps out new sessions and members, so it is
    -- taken last.
    perform keep_current_members(ids);
    -- Waits for transactions that have locked the server in keep_current_members, because they did not see this change.
    perform from servers where id = new.id for update;
    perform keep_current_members(array(
      select member_id from memberships where server_id = new.id and left_at is null except select unnest(ids)));
  end if;
  return null;
end $$;
comment on function keep_members_of_server is
  'Sets is_current and is_club_member of all members of the server, except in a dry run.';

create trigger servers_members after update of is_main, removed_at on servers
  for each row when ((old.is_main, old.removed_at) is distinct from (new.is_main, new.removed_at))
  execute function keep_members_of_server();
comment on trigger servers_members on servers is
  'Removing a server, or moving the main server, changes which people are current members and club members.';

create table member_role_changes (
  id uuid not null default gen_random_uuid(),
  member_id text collate "C" not null,
  server_id text collate "C" not null,
  role_id text collate "C" not null,
  is_added boolean not null,
  at timestamptz(3) not null default clock_moment(),
  primary key (member_id, at, id)
);
comment on table member_role_changes is
  'The roles that members received or lost while they were in a server. Rows are deleted after 30 days. There are no foreign keys: removing a role from thousands of members would check each of them, and could deadlock with the deletion of a member.';
comment on column member_role_changes.is_added is 'False: the member lost the role.';
comment on column member_role_changes.at is 'When this service learned of the change.';

create index member_role_changes_at on member_role_changes (at);
comment on index member_role_changes_at is 'Finds old changes for housekeeping.';

-- Runs once per statement, because a deleted role is removed from hundreds of members at a time. Disables nested loops:
-- a plan that was made for one row would compare each row with every other row.
create function record_role_changes() returns trigger language plpgsql set enable_nestloop = off set jit = off as $$
begin
  insert into member_role_changes (member_id, server_id, role_id, is_added)
  select m.member_id, m.server_id, c.role_id, c.is_added
  from changed m join gone o using (server_id, member_id)
  cross join lateral (
    select role_id, true from unnest(m.role_ids) role_id where role_id <> all (o.role_ids)
    union
    select role_id, false from unnest(o.role_ids) role_id where role_id <> all (m.role_ids)) c (role_id, is_added)
  where m.role_ids <> o.role_ids and m.left_at is null and o.left_at is null;
  return null;
end $$;
comment on function record_role_changes is
  'Records the roles that members received or lost. The first roles of a member who joins or returns are not changes.';

create trigger memberships_roles_recorded after update on memberships referencing old table as gone new table as changed
  for each statement execute function record_role_changes();
comment on trigger memberships_roles_recorded on memberships is
  'Sign-ins, requests, syncs, and the gateway all write roles, and no change may be missing in the history of a member.';
