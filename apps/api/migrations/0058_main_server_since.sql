-- What an internal project reads without a mapping, given back, revives no session either: its clients were told that they have ended.

-- When the project was last made internal while it could not read the main server; null while it never was.
alter table projects add column internal_since timestamptz;
-- When the server last became the main one again; null while it always was, or never.
alter table servers add column main_since timestamptz;

create function note_internal_since() returns trigger language plpgsql as $$
begin
  -- One with a mapping to the main server reads it anyway: nothing begins.
  if not exists (
    select from readable_servers r join servers v on v.id = r.server_id and v.is_main where r.project_id = new.id) then
    new.internal_since := date_trunc('milliseconds', clock_now() + (clock_timestamp() - now()));
  end if;
  return new;
end $$;
comment on function note_internal_since is 'Notes when the project may read the main server, where it could not.';

create trigger projects_internal_again before update on projects for each row
  when (not old.is_internal and new.is_internal) execute function note_internal_since();
comment on trigger projects_internal_again on projects is
  'Sessions that were over while the project was not internal stay so.';

create function note_main_since() returns trigger language plpgsql as $$
begin
  new.main_since := date_trunc('milliseconds', clock_now() + (clock_timestamp() - now()));
  return new;
end $$;
comment on function note_main_since is 'Notes when the server becomes the main one.';

create trigger servers_main_again before update on servers for each row
  when (not old.is_main and new.is_main) execute function note_main_since();
comment on trigger servers_main_again on servers is
  'Sessions of internal projects that were over while another server was the main one stay so.';

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
        or (p.is_internal and v.is_main
          and (p.internal_since is null or s.created_at >= p.internal_since)
          and (v.main_since is null or s.created_at >= v.main_since)))
      and not exists (
        select from oidc_clients c
        where c.project_id = s.project_id and c.enabled_since > s.created_at
          and exists (select from oidc_sessions o where o.session_id = s.id))));
