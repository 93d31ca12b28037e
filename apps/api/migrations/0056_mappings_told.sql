-- An internal project keeps the main server when its mapping to it goes: its client was told of ends that were none.
create or replace function tell_client_access_end() returns trigger language plpgsql as $$
begin
  perform tell_unreadable_sessions_end(old.project_id, old.server_id);
  return null;
end $$;
comment on function tell_client_access_end is
  'Writes a logout token for each session of the client in the server, unless it may use that all the same.';

drop function tell_sessions_end;
create or replace function tell_client_end() returns trigger language plpgsql as $$
begin
  insert into oidc_logouts (session_id, project_id, member_id, uri)
  select s.id, s.project_id, s.member_id, c.backchannel_logout_uri
  from oidc_clients c join oidc_sessions o on o.project_id = c.project_id
  join sessions s on s.id = o.session_id and s.revoked_at is null and s.expires_at > clock_now()
  where c.project_id = new.id and c.enabled and c.backchannel_logout_uri is not null;
  return null;
end $$;
