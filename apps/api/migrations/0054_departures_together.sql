-- Who leaves is looked after a statement at a time, and memberships with the same roles are counted together: with a trigger for each
-- row, departures of members of several servers cost four times as much as before.

-- Memberships with the same roles are taken together first: most changes of a statement are alike, or none.
create or replace function note_member_totals() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if not exists (select from changed) then return null; end if;
    insert into member_totals (server_id, other_server_ids, role_id, total)
    select m.server_id, coalesce(m.other_server_ids, '{}'), r, sum(m.change)
    from (
      select server_id, other_server_ids, role_ids, count(*) as change from changed where left_at is null
      group by 1, 2, 3) m
    cross join roles_counted(m.role_ids) r group by 1, 2, 3;
  elsif tg_op = 'DELETE' then
    insert into member_totals (server_id, other_server_ids, role_id, total)
    select m.server_id, coalesce(m.other_server_ids, '{}'), r, -sum(m.change)
    from (
      select server_id, other_server_ids, role_ids, count(*) as change from gone where left_at is null
      group by 1, 2, 3) m
    cross join roles_counted(m.role_ids) r group by 1, 2, 3;
  else
    insert into member_totals (server_id, other_server_ids, role_id, total)
    select m.server_id, coalesce(m.other_server_ids, '{}'), r, sum(m.change)
    from (
      select server_id, other_server_ids, role_ids, sum(change) as change
      from (
        select server_id, other_server_ids, role_ids, 1 as change from changed where left_at is null
        union all
        select server_id, other_server_ids, role_ids, -1 from gone where left_at is null) one
      group by 1, 2, 3 having sum(change) <> 0) m
    cross join roles_counted(m.role_ids) r
    group by 1, 2, 3 having sum(m.change) <> 0;
  end if;
  return null;
end $$;

create or replace function keep_joined_members() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  ids text[] := array(select distinct member_id from changed);
begin
  -- A statement that inserts or updates comes here, too, when it only updates.
  if ids = '{}' then return null; end if;
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

-- In place of memberships_left, which did this for one row at a time. Nothing is joined: a plan that was made for one row would
-- compare each with each.
create function keep_returned_members() returns trigger language plpgsql set enable_seqscan = off as $$
declare
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
  'Sets is_current and is_club_member of the members who left or came back, and other_server_ids of their memberships.';

create trigger memberships_returned after update on memberships referencing old table as gone new table as changed
  for each statement execute function keep_returned_members();
comment on trigger memberships_returned on memberships is
  'As memberships_joined, for whoever leaves or comes back, however many do with one statement.';
drop trigger memberships_left on memberships;
drop function keep_returned_member;
