-- Memberships in the order of member lists: a page deep in the list of a server or role is found along an index.

alter table memberships
  -- members.search_text of the member; kept by the triggers below.
  add column search_text text collate "C",
  -- role_ids, as far as an entry of an index has room for them: whoever holds more is looked up by key.
  add column indexed_role_ids text[] generated always as (
    case when cardinality(role_ids) <= 64 then role_ids end) stored;

-- Nothing that triggers tell of changes here.
alter table memberships disable trigger user;
update memberships m set search_text = u.search_text from members u where u.id = m.member_id;
alter table memberships enable trigger user;
alter table memberships alter column search_text set not null;

-- "POSIX" orders as "C" does, and only who asks for it gets this index: without statistics the planner would take it for
-- look-ups by member_id, and read it from end to end each time.
create index memberships_by_name on memberships (search_text, member_id collate "POSIX")
  include (server_id, indexed_role_ids) where left_at is null;

-- Without scans: a plan that was made while the tables were nearly empty serves the connection until they are analyzed.
create function name_membership() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  -- Of a member who does not exist the foreign key tells.
  new.search_text = coalesce((select u.search_text from members u where u.id = new.member_id), '');
  return new;
end $$;

-- Not where the statement brings the name: a sync names hundreds at once, also rows that turn out to be there already.
create trigger memberships_named before insert on memberships
  for each row when (new.search_text is null) execute function name_membership();

create function rename_memberships() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  update memberships set search_text = new.search_text where member_id = new.id;
  return null;
end $$;

create trigger members_renamed after update on members
  for each row when (old.search_text is distinct from new.search_text) execute function rename_memberships();

-- As before, and the names once more, now that the members' rows are locked: one that was renamed while its
-- membership was inserted was read too early, and whoever renamed it did not see the membership yet.
create or replace function keep_joined_members() returns trigger language plpgsql set enable_seqscan = off as $$
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

-- The planner knows nothing of new columns.
analyze memberships;
