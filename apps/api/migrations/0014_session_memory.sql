-- Defines which sessions are valid. Also contains the change log and the leases with which instances serve sessions
-- from memory.

create view live_sessions as
  select s.id, s.project_id, s.member_id, s.server_id, s.membership_generation, s.token_digest, s.refresh_digest,
    s.rotation, s.ip, s.user_agent, s.created_at, s.expires_at, s.max_expires_at, s.revoked_at, s.revoked_reason,
    m.nick, m.role_ids, m.synced_at, v.is_main, v.live_until, v.live_as_of, p.group_names, p.only_named_groups
  from sessions s
  join memberships m on m.server_id = s.server_id and m.member_id = s.member_id
    and m.generation = s.membership_generation and m.left_at is null
  join servers v on v.id = s.server_id and v.removed_at is null
  left join projects p on p.id = s.project_id
  where s.revoked_at is null and s.expires_at > clock_now()
    and not exists (
      select from member_blocks b
      where b.member_id = s.member_id and (b.until is null or b.until >= s.created_at))
    and (s.project_id is null or (
      p.deleted_at is null and p.deactivated_at is null
      and (p.active_since is null or s.created_at >= p.active_since) and (
        exists (
          select from server_access a
          where a.project_id = s.project_id and a.server_id = s.server_id and a.can_read
            and (a.readable_since is null or s.created_at >= a.readable_since))
        or (p.is_internal and v.is_main
          and (p.internal_since is null or s.created_at >= p.internal_since)
          and (v.main_since is null or s.created_at >= v.main_since)))
      and not exists (
        select from oidc_clients c
        where c.project_id = s.project_id and (not c.enabled or c.enabled_since > s.created_at)
          and exists (select from oidc_sessions o where o.session_id = s.id))));
comment on view live_sessions is
  'The sessions that are valid now. This is the only definition. A session is valid if it was neither revoked nor has expired, and its membership has not ended. The server is registered, and the member is not blocked. The project is active, and has been able to read the server for as long as the session exists.';

create table session_changes (
  id bigint generated always as identity primary key,
  xid xid8 not null default pg_current_xact_id(),
  kind text not null,
  fact text collate "C" not null
);
comment on table session_changes is
  'The change log: each cached fact that has changed or was deleted. Triggers write it in the transaction of the change. Instances cache only what is valid, so a change that makes something valid needs no row.';
comment on column session_changes.xid is
  'The transaction. A reader asks for all transactions that its last snapshot did not contain. With a sequence instead, it would miss a row that was committed late.';
comment on column session_changes.kind is
  'session, membership, member, key, project, access, server, roles, or token.';
comment on column session_changes.fact is
  'The key of the fact: the digest of a token or key, an ID, or two IDs that are separated by a slash.';

create index session_changes_xid on session_changes (xid);

create unlogged table answer_leases (
  id uuid primary key,
  renewals bigint not null default 0,
  acknowledged pg_snapshot not null default pg_current_snapshot()
) with (fillfactor = 50);
comment on table answer_leases is
  'The leases of processes that serve sessions from memory. The table is unlogged, because renewals need not survive a crash. If its first row is missing after a crash, an instance inserts it with 0 renewals. All instances then wait for the duration of a lease, because processes may have leases whose rows were lost.';
comment on column answer_leases.acknowledged is 'The snapshot up to which the process has applied the change log.';

insert into answer_leases (id, renewals) values ('00000000-0000-0000-0000-000000000000', 1);

create function note_session_changes() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) select 'session', token_digest from former;
  return null;
end $$;
comment on function note_session_changes is 'Adds the sessions to the change log.';

create trigger sessions_changed after update on sessions referencing old table as former
  for each statement execute function note_session_changes();
comment on trigger sessions_changed on sessions is
  'Every instance must apply the change before the client gets a response. Runs once per statement, because one statement changes the sessions of many requests.';
create trigger sessions_deleted after delete on sessions referencing old table as former
  for each statement execute function note_session_changes();
comment on trigger sessions_deleted on sessions is 'No instance may serve a deleted row from memory.';

-- Runs once per statement, because a deleted role is removed from hundreds of members at a time. With `except`, no plan
-- compares each row with every other row. It also finds the old row if the key has changed.
create function note_membership_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into session_changes (kind, fact) select 'membership', server_id || '/' || member_id from gone;
  else
    insert into session_changes (kind, fact)
    select 'membership', server_id || '/' || member_id
    from (
      select server_id, member_id, nick, role_ids, joined_at, left_at, generation from gone
      except
      select server_id, member_id, nick, role_ids, joined_at, left_at, generation from changed) former;
  end if;
  return null;
end $$;
comment on function note_membership_changes is
  'Adds the memberships to the change log that were deleted, or whose nickname, roles, join date, end, or generation has changed.';

create trigger memberships_changed after update on memberships referencing old table as gone new table as changed
  for each statement execute function note_membership_changes();
comment on trigger memberships_changed on memberships is
  'Responses contain the nickname, the roles, the join date, and the membership, but not the time of the last confirmation.';
create trigger memberships_deleted after delete on memberships referencing old table as gone
  for each statement execute function note_membership_changes();
comment on trigger memberships_deleted on memberships is 'No instance may serve a deleted row from memory.';

create function note_member_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) values ('member', old.id);
  return null;
end $$;
comment on function note_member_change is 'Adds the member to the change log.';

create trigger members_changed after update on members for each row
  when (old.* is distinct from new.*)
  execute function note_member_change();
comment on trigger members_changed on members is
  'Responses contain the profile. All columns are compared, so that a new one cannot be forgotten.';
create trigger members_deleted after delete on members
  for each row execute function note_member_change();
comment on trigger members_deleted on members is 'No instance may serve a deleted row from memory.';

create function note_block() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) values ('member', new.member_id);
  insert into session_changes (kind, fact)
  select 'membership', server_id || '/' || member_id from memberships where member_id = new.member_id;
  return null;
end $$;
comment on function note_block is 'Adds the member and their memberships to the change log.';

create trigger member_blocks_noted after insert or update on member_blocks
  for each row execute function note_block();
comment on trigger member_blocks_noted on member_blocks is
  'Every instance must apply the block before the administrator gets a response, although no session changes.';

create function note_key_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) values ('key', old.digest);
  return null;
end $$;
comment on function note_key_change is 'Adds the key to the change log.';

create trigger api_keys_changed after update on api_keys for each row
  when ((old.digest, old.project_id, old.revoked_at, old.replaced_at, old.expires_at)
    is distinct from (new.digest, new.project_id, new.revoked_at, new.replaced_at, new.expires_at))
  execute function note_key_change();
comment on trigger api_keys_changed on api_keys is
  'If a key is revoked, restored, or replaced, or gets another expiry, that takes effect immediately on every instance. The time of its last use does not matter.';
create trigger api_keys_deleted after delete on api_keys
  for each row execute function note_key_change();
comment on trigger api_keys_deleted on api_keys is 'No instance may serve a deleted row from memory.';

create function note_project_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) values ('project', old.id);
  return null;
end $$;
comment on function note_project_change is 'Adds the project to the change log.';

create trigger projects_changed after update on projects for each row
  when ((old.is_internal, old.deactivated_at, old.deleted_at, old.group_names, old.only_named_groups)
    is distinct from (new.is_internal, new.deactivated_at, new.deleted_at, new.group_names, new.only_named_groups))
  execute function note_project_change();
comment on trigger projects_changed on projects is
  'A project that is deactivated, deleted, or no longer internal loses sessions on every instance. Responses also contain the names of its groups.';
create trigger projects_deleted after delete on projects
  for each row execute function note_project_change();
comment on trigger projects_deleted on projects is 'No instance may serve a deleted row from memory.';

create function note_client_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) values ('project', new.project_id::text);
  return null;
end $$;
comment on function note_client_change is 'Adds the project to the change log.';

create trigger oidc_clients_changed after update on oidc_clients for each row
  when ((old.enabled, old.is_public, old.server_id) is distinct from (new.enabled, new.is_public, new.server_id))
  execute function note_client_change();
comment on trigger oidc_clients_changed on oidc_clients is
  'The sessions of a disabled client end on every instance. How a client authenticates, and whether it has a server, also decides which tokens are served from memory.';

create function note_token_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) values ('token', old.digest);
  return null;
end $$;
comment on function note_token_change is 'Adds the access token to the change log.';

create trigger oidc_records_changed after update or delete on oidc_records for each row
  when (old.model = 'AccessToken' and old.expires_at > clock_now())
  execute function note_token_change();
comment on trigger oidc_records_changed on oidc_records is
  'No instance may serve a revoked access token from memory. Expired tokens, which are deleted by the thousand, are not served anyway.';

create function note_forward_auth() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) values ('project', new.project_id::text);
  return null;
end $$;
comment on function note_forward_auth is 'Adds the project to the change log.';

create trigger forward_auth_changed after insert or update on forward_auth
  for each row execute function note_forward_auth();
comment on trigger forward_auth_changed on forward_auth is
  'Every instance must apply the rule of a protected host before the administrator gets a response. The hosts change in the same transaction.';

create function note_access_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) values ('access', old.project_id || '/' || old.server_id);
  return null;
end $$;
comment on function note_access_change is 'Adds the project''s access to the server to the change log.';

create trigger server_access_changed after update or delete on server_access
  for each row execute function note_access_change();
comment on trigger server_access_changed on server_access is 'A mapping decides which sessions are valid, and which members the project may read.';

create function note_server_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) values ('server', coalesce(new.id, old.id));
  return null;
end $$;
comment on function note_server_change is 'Adds the server to the change log.';

create trigger servers_changed after update on servers for each row
  when ((old.is_main, old.removed_at) is distinct from (new.is_main, new.removed_at))
  execute function note_server_change();
comment on trigger servers_changed on servers is
  'The main server decides who is a System Admin, and a removed server has no valid sessions.';
create trigger servers_deleted after delete on servers
  for each row execute function note_server_change();
comment on trigger servers_deleted on servers is 'No instance may serve a deleted row from memory.';
create trigger servers_main_inserted after insert on servers for each row
  when (new.is_main) execute function note_server_change();
comment on trigger servers_main_inserted on servers is
  'The first main server in the database replaces the one of the configuration.';

create function note_roles_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) select 'roles', server_id from changed group by server_id;
  return null;
end $$;
comment on function note_roles_change is 'Adds the server to the change log, because its roles have changed.';

create trigger roles_inserted after insert on roles referencing new table as changed
  for each statement execute function note_roles_change();
comment on trigger roles_inserted on roles is
  'Instances cache the roles of a server once for all its sessions. So a statement adds one row per server, no matter how many roles it changes.';
create trigger roles_updated after update on roles referencing new table as changed
  for each statement execute function note_roles_change();
comment on trigger roles_updated on roles is 'The same as roles_inserted.';
create trigger roles_deleted after delete on roles referencing old table as changed
  for each statement execute function note_roles_change();
comment on trigger roles_deleted on roles is 'The same as roles_inserted.';
