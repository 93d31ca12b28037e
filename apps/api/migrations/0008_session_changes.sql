-- What has changed of sessions that an instance may keep in memory. Each row is written by a trigger in the
-- transaction of the change, and says what to drop: t<token digest>, m<member id>, k<key digest>, or * for all.
create table session_changes (
  id bigint generated always as identity primary key,
  -- Readers ask for every transaction that was not finished when they last looked, so nothing that commits
  -- late is missed; a sequence could not say that.
  xid xid8 not null default pg_current_xact_id(),
  drops text not null
);

create index session_changes_xid on session_changes (xid);

create function note_session_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (drops) values ('t' || old.token_digest);
  return null;
end $$;

create trigger sessions_changed after update or delete on sessions
  for each row execute function note_session_change();

create function note_membership_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (drops) values ('m' || old.member_id);
  return null;
end $$;

create trigger memberships_changed after update on memberships for each row
  when ((old.nick, old.role_ids, old.left_at, old.generation)
    is distinct from (new.nick, new.role_ids, new.left_at, new.generation))
  execute function note_membership_change();
create trigger memberships_deleted after delete on memberships
  for each row execute function note_membership_change();

create function note_member_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (drops) values ('m' || old.id);
  return null;
end $$;

create trigger members_changed after update on members for each row
  when ((old.profile_json, old.is_club_member) is distinct from (new.profile_json, new.is_club_member))
  execute function note_member_change();

create function note_key_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (drops) values ('k' || old.digest);
  return null;
end $$;

create trigger api_keys_changed after update on api_keys for each row
  when ((old.digest, old.project_id, old.revoked_at, old.replaced_at)
    is distinct from (new.digest, new.project_id, new.revoked_at, new.replaced_at))
  execute function note_key_change();
create trigger api_keys_deleted after delete on api_keys
  for each row execute function note_key_change();

-- Rare changes that reach many sessions drop everything: it is loaded again in a few batches.
create function note_wide_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (drops) values ('*');
  return null;
end $$;

create trigger projects_changed after update on projects for each row
  when ((old.is_internal, old.deactivated_at, old.deleted_at)
    is distinct from (new.is_internal, new.deactivated_at, new.deleted_at))
  execute function note_wide_change();
create trigger servers_changed after update on servers for each row
  when ((old.is_main, old.removed_at, old.roles_version)
    is distinct from (new.is_main, new.removed_at, new.roles_version))
  execute function note_wide_change();
create trigger servers_deleted after delete on servers
  for each row execute function note_wide_change();
create trigger server_access_changed after update or delete on server_access
  for each row execute function note_wide_change();
