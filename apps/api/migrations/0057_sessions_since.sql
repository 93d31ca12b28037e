-- Sessions from before READ was taken away, or OpenID Connect was switched off, stay ended when it is given back: clients were told so.

-- When READ was last given to a project that could not read the server; null while it always could.
alter table server_access add column readable_since timestamptz;
-- When the client was last switched on again; null while it never was.
alter table oidc_clients add column enabled_since timestamptz;

-- Later than the beginning of every transaction that saw the row before, as in note_active_since: whoever gives something
-- back has waited for whoever took it away.
create function note_readable_since() returns trigger language plpgsql as $$
begin
  -- A mapping beside the main server that an internal project reads anyway begins nothing.
  if not exists (
    select from readable_servers r where r.project_id = new.project_id and r.server_id = new.server_id) then
    new.readable_since := date_trunc('milliseconds', clock_now() + (clock_timestamp() - now()));
  end if;
  return new;
end $$;
comment on function note_readable_since is 'Notes when the project may read the server, where it could not.';

create trigger server_access_given before insert on server_access for each row
  when (new.can_read) execute function note_readable_since();
comment on trigger server_access_given on server_access is
  'A mapping that is made anew revives no session that was over without it.';
create trigger server_access_read_again before update on server_access for each row
  when (not old.can_read and new.can_read) execute function note_readable_since();
comment on trigger server_access_read_again on server_access is
  'Events and logout tokens said that sessions have ended with READ: none may come back with it.';

create function note_enabled_since() returns trigger language plpgsql as $$
begin
  new.enabled_since := date_trunc('milliseconds', clock_now() + (clock_timestamp() - now()));
  return new;
end $$;
comment on function note_enabled_since is 'Notes when the client is switched on again.';

create trigger oidc_clients_on_again before update on oidc_clients for each row
  when (not old.enabled and new.enabled) execute function note_enabled_since();
comment on trigger oidc_clients_on_again on oidc_clients is
  'Logout tokens said that its sessions have ended: none may come back.';

create function note_client_change() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) values ('project', new.project_id::text);
  return null;
end $$;
comment on function note_client_change is 'Writes the project to the change log.';

create trigger oidc_clients_changed after update on oidc_clients for each row
  when (old.enabled is distinct from new.enabled) execute function note_client_change();
comment on trigger oidc_clients_changed on oidc_clients is
  'Sessions of a client that was switched off are over on every instance, also in memory.';

create or replace view live_sessions as
  select s.id, s.project_id, s.member_id, s.server_id, s.membership_generation, s.token_digest, s.refresh_digest,
    s.rotation, s.ip, s.user_agent, s.created_at, s.expires_at, s.max_expires_at, s.revoked_at, s.revoked_reason,
    u.username, u.global_name, u.avatar, u.email, u.preferred_name, u.is_club_member,
    u.created_at as member_created_at, u.updated_at as member_updated_at, m.nick, m.role_ids, m.synced_at,
    v.is_main, v.live_until, v.live_as_of
  from sessions s
  join memberships m on m.server_id = s.server_id and m.member_id = s.member_id
    and m.generation = s.membership_generation and m.left_at is null
  join members u on u.id = s.member_id
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
        or (p.is_internal and v.is_main))
      and not exists (
        select from oidc_clients c
        where c.project_id = s.project_id and c.enabled_since > s.created_at
          and exists (select from oidc_sessions o where o.session_id = s.id))));
