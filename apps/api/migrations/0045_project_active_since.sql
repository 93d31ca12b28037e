-- Sessions from before a project was switched off stay ended when it is switched on again: its clients were told so.

-- When the project was last switched on again; null while it never was.
alter table projects add column active_since timestamptz;

-- Later than the beginning of every transaction that saw the project active before it was switched off: whoever switches it
-- on has waited for whoever switched it off. So no lock is needed between that and a login that is just being finished.
create function note_active_since() returns trigger language plpgsql as $$
begin
  new.active_since := date_trunc('milliseconds', clock_now() + (clock_timestamp() - now()));
  return new;
end $$;
comment on function note_active_since is 'Notes when the project is switched on again.';

create trigger projects_active_again before update on projects for each row
  when (old.deactivated_at is not null and new.deactivated_at is null)
  execute function note_active_since();
comment on trigger projects_active_again on projects is
  'Events and logout tokens said that its sessions have ended: none may come back, whoever switches the project on.';

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
          where a.project_id = s.project_id and a.server_id = s.server_id and a.can_read)
        or (p.is_internal and v.is_main))));
