-- How many members each list has is kept up with every change, so that no page counts a million of them.

-- The other servers where the member is now, in order; null for none, as of most. Kept by triggers; of a membership that is over
-- it says nothing.
alter table memberships add column other_server_ids text[] collate "C";

-- How many current memberships there are of each server, of members who are in the same other servers, with each role; with
-- role_id '' whatever their roles. A change is a row of its own, so that nobody waits for anybody else's; the sum over the rows
-- is what holds. Now and then rows are replaced by their sum.
create table member_totals (
  id bigint generated always as identity primary key,
  server_id text collate "C" not null,
  other_server_ids text[] collate "C" not null,
  role_id text collate "C" not null,
  total bigint not null,
  is_sum boolean not null default false
);

create index member_totals_by_role on member_totals (role_id, server_id);

-- Each role that is counted for a membership once, and ''.
create function roles_counted(role_ids text[]) returns setof text language sql immutable rows 3 as $$
  select distinct role_id from unnest(array_append(role_ids, '')) as held (role_id)
$$;

create function note_member_totals() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into member_totals (server_id, other_server_ids, role_id, total)
    select m.server_id, coalesce(m.other_server_ids, '{}'), r, count(*)
    from changed m cross join roles_counted(m.role_ids) r where m.left_at is null
    group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    insert into member_totals (server_id, other_server_ids, role_id, total)
    select m.server_id, coalesce(m.other_server_ids, '{}'), r, -count(*)
    from gone m cross join roles_counted(m.role_ids) r where m.left_at is null
    group by 1, 2, 3;
  else
    -- Most updates change nothing of this.
    insert into member_totals (server_id, other_server_ids, role_id, total)
    select m.server_id, coalesce(m.other_server_ids, '{}'), r, sum(m.change)
    from (
      select server_id, other_server_ids, role_ids, 1 as change from changed where left_at is null
      union all
      select server_id, other_server_ids, role_ids, -1 from gone where left_at is null) m
    cross join roles_counted(m.role_ids) r
    group by 1, 2, 3 having sum(m.change) <> 0;
  end if;
  return null;
end $$;
comment on function note_member_totals is 'Writes by how much the totals of member lists changed.';

create trigger memberships_inserted_counted after insert on memberships referencing new table as changed
  for each statement execute function note_member_totals();
comment on trigger memberships_inserted_counted on memberships is
  'Logins, reads, syncs, the gateway and older versions all write memberships, and no total may miss one. A statement at a time: a sync inserts hundreds, which are a few rows here.';
create trigger memberships_updated_counted after update on memberships referencing old table as gone new table as changed
  for each statement execute function note_member_totals();
comment on trigger memberships_updated_counted on memberships is
  'As memberships_inserted_counted.';
create trigger memberships_deleted_counted after delete on memberships referencing old table as gone
  for each statement execute function note_member_totals();
comment on trigger memberships_deleted_counted on memberships is
  'As memberships_inserted_counted.';

-- Makes other_server_ids of these members' current memberships true. Whoever calls it has locked the members: of two
-- memberships that begin or end at once, the later one sees the other.
create function keep_other_servers(ids text[]) returns void language plpgsql as $$
begin
  update memberships m set other_server_ids = now.others
  from (
    select one.id as member_id, c.server_id, nullif(array_remove(held.ids, c.server_id), '{}') as others
    from unnest(ids) as one (id) cross join lateral (
      select array_agg(o.server_id order by o.server_id) as ids, count(o.other_server_ids) as known
      from memberships o where o.member_id = one.id and o.left_at is null offset 0) held
    cross join lateral unnest(held.ids) as c (server_id)
    -- One who is in one server only, and was, is the most frequent case.
    where cardinality(held.ids) > 1 or held.known > 0
    offset 0) now
  where m.server_id = now.server_id and m.member_id = now.member_id
    and m.other_server_ids is distinct from now.others;
end $$;

create or replace function keep_joined_members() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  ids text[] := array(select distinct member_id from changed);
begin
  perform keep_current_members(ids);
  perform keep_other_servers(ids);
  -- The names are compared now that the members' rows are locked, as before.
  update memberships m set search_text = late.search_text
  from (
    select c.server_id, c.member_id, u.search_text from changed c cross join lateral (
      select u.search_text from members u where u.id = c.member_id offset 0) u
    where u.search_text <> c.search_text offset 0) late
  where m.server_id = late.server_id and m.member_id = late.member_id;
  return null;
end $$;
comment on function keep_joined_members is
  'Sets is_current and is_club_member of the members, and other_server_ids and search_text of the memberships.';

create or replace function keep_returned_member() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  perform keep_current_members(array[new.member_id]);
  perform keep_other_servers(array[new.member_id]);
  return null;
end $$;
comment on function keep_returned_member is
  'Sets is_current and is_club_member of the member, and other_server_ids of their memberships.';

-- Counts anew: once for what is there before the triggers are, and after rows were written without triggers.
create function count_member_totals() returns void language plpgsql as $$
begin
  lock table memberships, member_totals in share row exclusive mode;
  update memberships m set other_server_ids = nullif(array_remove(held.ids, m.server_id), '{}')
  from (
    select member_id, array_agg(server_id order by server_id) as ids from memberships where left_at is null
    group by member_id having count(*) > 1 or count(other_server_ids) > 0) held
  where m.member_id = held.member_id and m.left_at is null
    and m.other_server_ids is distinct from nullif(array_remove(held.ids, m.server_id), '{}');
  delete from member_totals;
  insert into member_totals (server_id, other_server_ids, role_id, total, is_sum)
  select m.server_id, coalesce(m.other_server_ids, '{}'), r, count(*), true
  from memberships m cross join roles_counted(m.role_ids) r where m.left_at is null
  group by 1, 2, 3;
end $$;

select count_member_totals();
