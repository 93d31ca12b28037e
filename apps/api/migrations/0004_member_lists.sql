-- Keeps the totals of member lists, and marks the changes for the change feed that projects read.

create table member_totals (
  id bigint generated always as identity primary key,
  server_id text collate "C" not null,
  other_server_ids text[] collate "C" not null,
  role_id text collate "C" not null,
  total bigint not null,
  is_sum boolean not null default false
);
comment on table member_totals is
  'The number of current memberships per server, per combination of other servers, and per role, so that no page has to count a million members. Each change adds a row, so that no transaction waits for another one. The total is the sum of the rows. A periodic task replaces rows by their sum.';
comment on column member_totals.other_server_ids is 'The other servers that the counted members are in.';
comment on column member_totals.role_id is 'The role. '''' counts all members of the server, with and without roles.';
comment on column member_totals.total is 'The number to add. Negative if members left or lost the role.';
comment on column member_totals.is_sum is 'True if the row replaces earlier rows by their sum.';

create index member_totals_by_role on member_totals (role_id, server_id);

create function roles_counted(role_ids text[]) returns setof text language sql immutable rows 3 as $$
  select distinct role_id from unnest(array_append(role_ids, '')) as held (role_id)
$$;
comment on function roles_counted is
  'Returns the keys that a membership is counted under: each of its roles once, and '''' for the server.';

create function note_member_totals() returns trigger language plpgsql as $$
begin
  -- Groups memberships with equal roles first, because most changes of a statement are equal, or cancel each other out.
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
comment on function note_member_totals is 'Records by how much the totals of member lists have changed.';

create trigger memberships_inserted_counted after insert on memberships referencing new table as changed
  for each statement execute function note_member_totals();
comment on trigger memberships_inserted_counted on memberships is
  'Sign-ins, requests, syncs, and the gateway all write memberships, and every one must be counted. A statement that inserts hundreds of memberships adds only a few rows.';
create trigger memberships_updated_counted after update on memberships referencing old table as gone new table as changed
  for each statement execute function note_member_totals();
comment on trigger memberships_updated_counted on memberships is 'The same as memberships_inserted_counted.';
create trigger memberships_deleted_counted after delete on memberships referencing old table as gone
  for each statement execute function note_member_totals();
comment on trigger memberships_deleted_counted on memberships is 'The same as memberships_inserted_counted.';

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
comment on function count_member_totals is
  'Counts all totals again. Run it after memberships were written with triggers disabled, for example by a bulk load.';

create function mark_membership_change() returns trigger language plpgsql as $$
begin
  new.changed_xid := pg_current_xact_id();
  return new;
end $$;
comment on function mark_membership_change is 'Sets changed_xid of the membership.';

create trigger memberships_change_marked before update on memberships for each row
  when ((old.nick, old.role_ids, old.joined_at, old.left_at) is distinct from (new.nick, new.role_ids, new.joined_at, new.left_at))
  execute function mark_membership_change();
comment on trigger memberships_change_marked on memberships is
  'Sign-ins, requests, syncs, and the gateway all write memberships, and every change must be in the change feed.';

create function mark_memberships_of_member() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  -- The feed does not contain these columns. Every other column, including a new one, counts as a change.
  old.email := new.email;
  old.preferred_name := new.preferred_name;
  old.is_club_member := new.is_club_member;
  old.is_current := new.is_current;
  old.told_at := new.told_at;
  old.updated_at := new.updated_at;
  if old is distinct from new then
    update memberships set changed_xid = pg_current_xact_id() where member_id = new.id and left_at is null;
  end if;
  return null;
end $$;
comment on function mark_memberships_of_member is
  'Sets changed_xid of the current memberships of the member, unless only columns have changed that the feed does not contain.';

create trigger members_change_marked after update on members for each row
  execute function mark_memberships_of_member();
comment on trigger members_change_marked on members is 'The change feed of a server contains names and avatars.';

create table role_changes (
  server_id text collate "C" primary key references servers on delete cascade,
  xid xid8 not null
);
comment on table role_changes is
  'When the roles of each server last changed. The row of the server itself cannot tell, because the gateway updates it all the time.';
comment on column role_changes.xid is 'The transaction that changed them.';

create function mark_roles_change() returns trigger language plpgsql as $$
begin
  insert into role_changes (server_id, xid)
  select server_id, pg_current_xact_id() from changed
  where exists (select from servers v where v.id = server_id)
  group by server_id order by server_id
  on conflict (server_id) do update set xid = excluded.xid;
  return null;
end $$;
comment on function mark_roles_change is 'Records that the roles of the server have changed.';

create trigger roles_inserted_marked after insert on roles referencing new table as changed
  for each statement execute function mark_roles_change();
comment on trigger roles_inserted_marked on roles is
  'A renamed or deleted role changes the entries of all members who have it. The change feed reports the roles once, and not each member.';
create trigger roles_updated_marked after update on roles referencing new table as changed
  for each statement execute function mark_roles_change();
comment on trigger roles_updated_marked on roles is 'The same as roles_inserted_marked.';
create trigger roles_deleted_marked after delete on roles referencing old table as changed
  for each statement execute function mark_roles_change();
comment on trigger roles_deleted_marked on roles is 'The same as roles_inserted_marked.';

create table member_feeds (
  server_id text collate "C" primary key references servers on delete cascade,
  deletions integer not null
);
comment on table member_feeds is
  'The number of times that memberships of a server were deleted. A cursor of the change feed contains this number. If it has changed, the reader starts again, and so loses the deleted members.';

create function count_membership_deletion() returns trigger language plpgsql as $$
begin
  insert into member_feeds (server_id, deletions)
  select server_id, 1 from gone where exists (select from servers v where v.id = server_id)
  group by server_id order by server_id
  on conflict (server_id) do update set deletions = member_feeds.deletions + 1;
  return null;
end $$;
comment on function count_membership_deletion is 'Counts that memberships of the server were deleted.';

create trigger memberships_deletion_counted after delete on memberships referencing old table as gone
  for each statement execute function count_membership_deletion();
comment on trigger memberships_deletion_counted on memberships is
  'The change feed cannot show a deleted row, so its readers detect deletions by this number.';
