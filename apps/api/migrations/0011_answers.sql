-- What validate answers from memory: a log of typed changes, and leases with acknowledgements.

-- The change log: which fact that an instance may keep is another one now. Written by triggers, in the transaction of
-- the change. Only good answers are kept, so what makes something good needs no row here.
create table session_changes (
  id bigint generated always as identity primary key,
  -- Readers ask for every transaction that was not to be seen when they last looked, so nothing that commits
  -- late is missed; a sequence could not say that.
  xid xid8 not null default pg_current_xact_id(),
  -- session (token digest), membership (server/member), member, key (digest), project, access (project/server),
  -- server, roles (server).
  kind text not null,
  fact text collate "C" not null
);

create index session_changes_xid on session_changes (xid);

create function note_session_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) values ('session', old.token_digest);
  return null;
end $$;
comment on function note_session_change is 'Writes the session to the change log.';

create trigger sessions_changed after update or delete on sessions
  for each row execute function note_session_change();
comment on trigger sessions_changed on sessions is
  'An instance that answers from memory must hear of every change of a session before it is acknowledged.';

create function note_membership_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) values ('membership', old.server_id || '/' || old.member_id);
  return null;
end $$;
comment on function note_membership_change is 'Writes the membership to the change log.';

create trigger memberships_changed after update on memberships for each row
  when ((old.nick, old.role_ids, old.left_at, old.generation)
    is distinct from (new.nick, new.role_ids, new.left_at, new.generation))
  execute function note_membership_change();
comment on trigger memberships_changed on memberships is
  'Nickname, roles and membership are part of answers; times of confirmation are not.';
create trigger memberships_deleted after delete on memberships
  for each row execute function note_membership_change();
comment on trigger memberships_deleted on memberships is
  'What is gone is not to be answered from memory.';

create function note_member_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) values ('member', old.id);
  return null;
end $$;
comment on function note_member_change is 'Writes the member to the change log.';

create trigger members_changed after update on members for each row
  when ((old.username, old.global_name, old.avatar, old.email, old.preferred_name, old.updated_at, old.is_club_member)
    is distinct from
    (new.username, new.global_name, new.avatar, new.email, new.preferred_name, new.updated_at, new.is_club_member))
  execute function note_member_change();
comment on trigger members_changed on members is
  'The profile is part of answers; the time of its last confirmation is not.';
create trigger members_deleted after delete on members
  for each row execute function note_member_change();
comment on trigger members_deleted on members is
  'What is gone is not to be answered from memory.';

create function note_key_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) values ('key', old.digest);
  return null;
end $$;
comment on function note_key_change is 'Writes the key to the change log.';

create trigger api_keys_changed after update on api_keys for each row
  when ((old.digest, old.project_id, old.revoked_at, old.replaced_at)
    is distinct from (new.digest, new.project_id, new.revoked_at, new.replaced_at))
  execute function note_key_change();
comment on trigger api_keys_changed on api_keys is
  'A key that is revoked, restored or replaced counts at once on every instance; the time of its last use does not matter.';
create trigger api_keys_deleted after delete on api_keys
  for each row execute function note_key_change();
comment on trigger api_keys_deleted on api_keys is
  'What is gone is not to be answered from memory.';

create function note_project_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) values ('project', old.id);
  return null;
end $$;
comment on function note_project_change is 'Writes the project to the change log.';

create trigger projects_changed after update on projects for each row
  when ((old.is_internal, old.deactivated_at, old.deleted_at)
    is distinct from (new.is_internal, new.deactivated_at, new.deleted_at))
  execute function note_project_change();
comment on trigger projects_changed on projects is
  'Switching a project off, or taking away that it is internal, ends what is kept of its sessions on every instance.';
create trigger projects_deleted after delete on projects
  for each row execute function note_project_change();
comment on trigger projects_deleted on projects is
  'What is gone is not to be answered from memory.';

create function note_access_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) values ('access', old.project_id || '/' || old.server_id);
  return null;
end $$;
comment on function note_access_change is 'Writes the project and the server to the change log.';

create trigger server_access_changed after update or delete on server_access
  for each row execute function note_access_change();
comment on trigger server_access_changed on server_access is
  'A mapping decides which sessions are good.';

create function note_server_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) values ('server', coalesce(new.id, old.id));
  return null;
end $$;
comment on function note_server_change is 'Writes the server to the change log.';

create trigger servers_changed after update on servers for each row
  when ((old.is_main, old.removed_at) is distinct from (new.is_main, new.removed_at))
  execute function note_server_change();
comment on trigger servers_changed on servers is
  'The main server decides who is an admin; a removed one has no session.';
create trigger servers_deleted after delete on servers
  for each row execute function note_server_change();
comment on trigger servers_deleted on servers is
  'What is gone is not to be answered from memory.';
create trigger servers_main_inserted after insert on servers for each row
  when (new.is_main) execute function note_server_change();
comment on trigger servers_main_inserted on servers is
  'A first main server ends the part of the configured one.';

create function note_roles_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) select 'roles', server_id from changed group by server_id;
  return null;
end $$;
comment on function note_roles_change is 'Writes the server to the change log, as one whose roles changed.';

create trigger roles_inserted after insert on roles referencing new table as changed
  for each statement execute function note_roles_change();
comment on trigger roles_inserted on roles is
  'Roles of a server are kept once for all of its sessions: one row of the log, however many roles a statement writes.';
create trigger roles_updated after update on roles referencing new table as changed
  for each statement execute function note_roles_change();
comment on trigger roles_updated on roles is
  'As roles_inserted.';
create trigger roles_deleted after delete on roles referencing old table as changed
  for each statement execute function note_roles_change();
comment on trigger roles_deleted on roles is
  'As roles_inserted.';

-- Which processes answer from memory, and what each has applied. Unlogged: a renewal four times a second need not
-- survive a crash. What a crash empties is made up for: whoever finds the table without its first row writes it
-- with `renewals` 0, and for the length of a lease everybody waits for those who may have been here.
create unlogged table answer_leases (
  id uuid primary key,
  renewals bigint not null default 0,
  -- A snapshot whose changes its holder has applied.
  acknowledged pg_snapshot not null default pg_current_snapshot()
) with (fillfactor = 50);

insert into answer_leases (id, renewals) values ('00000000-0000-0000-0000-000000000000', 1);
