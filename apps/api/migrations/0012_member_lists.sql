-- What the lists of members read: who is a member anywhere now, under what name, in an order that has an index.

-- What a search looks into: user name and global name in small letters. Names of the platform have 32 characters;
-- whatever else comes is cut, because an index takes no more.
alter table members
  add column search_text text collate "C" not null generated always as (
    lower(left(username, 100)) || chr(10) || lower(left(coalesce(global_name, ''), 100))) stored,
  -- A member of at least one registered server now; kept by the triggers below.
  add column is_current boolean not null default false;

-- The list in its order, a count of it, and a search too short for trigrams, without touching the table.
create index members_current on members (search_text, id) include (is_club_member) where is_current;

-- Members of one server in the platform's order, which is that of numbers.
create index memberships_current on memberships (server_id, length(member_id), member_id) where left_at is null;

-- Who holds a role. Most roles are worn by few.
create index memberships_roles on memberships using gin (role_ids) where left_at is null;

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

drop trigger memberships_club_insert on memberships;
drop trigger memberships_club_update on memberships;
drop trigger servers_club on servers;
drop function keep_club_member();
drop function keep_club_members();

-- Makes is_current and is_club_member of these members true to their memberships. Their rows are locked first,
-- and read again then: of two memberships that end at once, the later one must see the other ended.
create function keep_current_members(ids text[]) returns void language plpgsql as $$
begin
  perform from members where id = any(ids) order by length(id), id for no key update;
  update members u set is_current = now.is_current, is_club_member = now.is_club_member
  from (
    select one.id, count(m) > 0 as is_current, coalesce(bool_or(v.is_main), false) as is_club_member
    from unnest(ids) as one (id)
    left join (memberships m join servers v on v.id = m.server_id and v.removed_at is null)
      on m.member_id = one.id and m.left_at is null
    group by one.id) now
  where u.id = now.id
    and (u.is_current, u.is_club_member) is distinct from (now.is_current, now.is_club_member);
end $$;

create function keep_joined_members() returns trigger language plpgsql as $$
begin
  perform keep_current_members(array(select distinct member_id from changed));
  return null;
end $$;

-- A statement at a time: a sync inserts hundreds.
create trigger memberships_joined after insert on memberships referencing new table as changed
  for each statement execute function keep_joined_members();

create function keep_returned_member() returns trigger language plpgsql as $$
begin
  perform keep_current_members(array[new.member_id]);
  return null;
end $$;

-- A row at a time, and only these: most updates of memberships are none of its business.
create trigger memberships_left after update of left_at on memberships
  for each row when (old.left_at is distinct from new.left_at) execute function keep_returned_member();

create function keep_members_of_server() returns trigger language plpgsql as $$
begin
  perform keep_current_members(array(
    select member_id from memberships where server_id = new.id and left_at is null));
  return null;
end $$;

create trigger servers_members after update of is_main, removed_at on servers
  for each row when ((old.is_main, old.removed_at) is distinct from (new.is_main, new.removed_at))
  execute function keep_members_of_server();

update members u set is_current = true
where exists (
  select from memberships m join servers v on v.id = m.server_id and v.removed_at is null
  where m.member_id = u.id and m.left_at is null);
