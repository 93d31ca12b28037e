-- Which memberships changed after a place that a reader keeps: each says in which transaction it was last another one.

-- Rows from before this are older than every place that a reader can have.
alter table memberships add column changed_xid xid8 not null default '0';
alter table memberships alter column changed_xid set default pg_current_xact_id();

create index memberships_changes on memberships (server_id, changed_xid, member_id);

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
  'Logins, reads, syncs and the gateway all write memberships, and the feed of changes may miss none.';

-- Without scans: a plan that was made while the tables were nearly empty serves the connection until they are analyzed.
create function mark_memberships_of_member() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  update memberships set changed_xid = pg_current_xact_id() where member_id = new.id and left_at is null;
  return null;
end $$;
comment on function mark_memberships_of_member is 'Sets changed_xid of the current memberships of the member.';

create trigger members_change_marked after update on members for each row
  when ((old.username, old.global_name, old.avatar) is distinct from (new.username, new.global_name, new.avatar))
  execute function mark_memberships_of_member();
comment on trigger members_change_marked on members is
  'Names and pictures are part of what the feed of a server tells.';

-- When the roles of a server last changed. Not in the row of the server, which the gateway renews all the time.
create table role_changes (
  server_id text collate "C" primary key references servers on delete cascade,
  xid xid8 not null
);

create function mark_roles_change() returns trigger language plpgsql as $$
begin
  insert into role_changes (server_id, xid)
  select server_id, pg_current_xact_id() from changed
  where exists (select from servers v where v.id = server_id)
  group by server_id order by server_id
  on conflict (server_id) do update set xid = excluded.xid;
  return null;
end $$;
comment on function mark_roles_change is 'Writes when the roles of the server changed.';

create trigger roles_inserted_marked after insert on roles referencing new table as changed
  for each statement execute function mark_roles_change();
comment on trigger roles_inserted_marked on roles is
  'A role that is renamed or gone changes what is told of all who hold it, and is told once.';
create trigger roles_updated_marked after update on roles referencing new table as changed
  for each statement execute function mark_roles_change();
comment on trigger roles_updated_marked on roles is
  'As roles_inserted_marked.';
create trigger roles_deleted_marked after delete on roles referencing old table as changed
  for each statement execute function mark_roles_change();
comment on trigger roles_deleted_marked on roles is
  'As roles_inserted_marked.';
