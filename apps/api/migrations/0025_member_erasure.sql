-- A member who is erased is gone from the feed of changes, too: whoever follows it begins anew, and keeps nobody who is not there.

-- How often memberships of a server were deleted. A cursor names the count that it is of.
create table member_feeds (
  server_id text collate "C" primary key references servers on delete cascade,
  deletions integer not null
);

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
  'What is deleted cannot be told as changed: readers of the feed must notice in another way, whoever deletes.';
