-- Queues a logout token for the OpenID Connect client when a session ends (back-channel logout).

-- `offset 0` has the same reason as in queue_events.
create function tell_client_session_ends() returns trigger language plpgsql set work_mem = '512MB' as $$
begin
  insert into deliveries (kind, project_id, member_id, type, data)
  select 'logout', s.project_id, s.member_id, 'logout',
    jsonb_build_object('sessionId', s.id, 'uri', c.backchannel_logout_uri)
  from present s cross join lateral (
    select c.backchannel_logout_uri from oidc_sessions o join oidc_clients c on c.project_id = o.project_id
    where o.session_id = s.id and o.client_id is null and c.enabled and c.backchannel_logout_uri is not null
    offset 0) c
  where s.revoked_at is not null and s.project_id is not null and s.revoked_reason is distinct from 'token_revoked'
    and s.id not in (select f.id from former f where f.revoked_at is not null);
  return null;
end $$;
comment on function tell_client_session_ends is
  'Queues a logout token for the client of each session that was revoked.';

create trigger sessions_end_told_to_clients after update on sessions
  referencing old table as former new table as present
  for each statement execute function tell_client_session_ends();
comment on trigger sessions_end_told_to_clients on sessions is
  'Many statements revoke sessions, and each must notify the client, which has a session of its own. A client that has revoked the token itself needs no message.';

create function tell_client_end() returns trigger language plpgsql as $$
begin
  insert into deliveries (kind, project_id, member_id, type, data)
  select 'logout', s.project_id, s.member_id, 'logout',
    jsonb_build_object('sessionId', s.id, 'uri', c.backchannel_logout_uri)
  from oidc_clients c join oidc_sessions o on o.project_id = c.project_id and o.client_id is null
  join sessions s on s.id = o.session_id and s.revoked_at is null and s.expires_at > clock_now()
  where c.project_id = new.id and c.enabled and c.backchannel_logout_uri is not null;
  return null;
end $$;
comment on function tell_client_end is 'Queues a logout token for each session of the client.';

create trigger projects_end_told_to_clients after update on projects for each row
  when ((old.deactivated_at is null and new.deactivated_at is not null)
    or (old.deleted_at is null and new.deleted_at is not null))
  execute function tell_client_end();
comment on trigger projects_end_told_to_clients on projects is
  'A project that is deactivated or deleted loses all its sessions, and its client must learn of each.';

create function tell_client_off() returns trigger language plpgsql as $$
begin
  insert into deliveries (kind, project_id, member_id, type, data)
  select 'logout', s.project_id, s.member_id, 'logout',
    jsonb_build_object('sessionId', s.id, 'uri', old.backchannel_logout_uri)
  from oidc_sessions o join sessions s on s.id = o.session_id and s.revoked_at is null and s.expires_at > clock_now()
  where o.project_id = old.project_id and o.client_id is null;
  return null;
end $$;
comment on function tell_client_off is 'Queues a logout token for each session of a client that is being disabled.';

create trigger oidc_clients_off_told after update on oidc_clients for each row
  when (old.enabled and not new.enabled and old.backchannel_logout_uri is not null)
  execute function tell_client_off();
comment on trigger oidc_clients_off_told on oidc_clients is
  'A disabled client still has sessions of its own, and must learn that they have ended.';

create function move_waiting_logouts() returns trigger language plpgsql as $$
begin
  if new.backchannel_logout_uri is null then
    update deliveries set failed_at = clock_now(), last_error = 'The client has no logout address any more.'
    where kind = 'logout' and project_id = new.project_id and delivered_at is null and failed_at is null;
  else
    update deliveries set data = data || jsonb_build_object('uri', new.backchannel_logout_uri)
    where kind = 'logout' and project_id = new.project_id and delivered_at is null and failed_at is null;
  end if;
  return null;
end $$;
comment on function move_waiting_logouts is
  'Changes the queued logout tokens of a client to its new address. If there is none, marks them as failed.';

-- Triggers run in the order of their names. This one runs after oidc_clients_off_told, which queues tokens for the old
-- address.
create trigger oidc_clients_told_elsewhere after update on oidc_clients for each row
  when (old.backchannel_logout_uri is distinct from new.backchannel_logout_uri)
  execute function move_waiting_logouts();
comment on trigger oidc_clients_told_elsewhere on oidc_clients is
  'No token may be sent to an address that was removed, no matter which statement removed it.';

create function tell_unreadable_sessions_end(of_project uuid, in_server text) returns void language sql as $$
  insert into deliveries (kind, project_id, member_id, type, data)
  select 'logout', s.project_id, s.member_id, 'logout',
    jsonb_build_object('sessionId', s.id, 'uri', c.backchannel_logout_uri)
  from oidc_clients c join oidc_sessions o on o.project_id = c.project_id and o.client_id is null
  join sessions s on s.id = o.session_id and s.revoked_at is null and s.expires_at > clock_now()
  where c.enabled and c.backchannel_logout_uri is not null
    and (of_project is null or c.project_id = of_project) and (in_server is null or s.server_id = in_server)
    and not exists (
      select from readable_servers r where r.project_id = s.project_id and r.server_id = s.server_id)
$$;
comment on function tell_unreadable_sessions_end is
  'Queues a logout token for each session in a server that its client may no longer read. The arguments limit that to one project or one server; null means all.';

create function tell_client_access_end() returns trigger language plpgsql as $$
begin
  perform tell_unreadable_sessions_end(old.project_id, old.server_id);
  return null;
end $$;
comment on function tell_client_access_end is
  'Queues a logout token for each session of the client in the server, unless the client may still read it.';

create trigger server_access_end_told_to_clients after delete on server_access
  for each row when (old.can_read) execute function tell_client_access_end();
comment on trigger server_access_end_told_to_clients on server_access is
  'A deleted mapping ends sessions without changing their rows.';
create trigger server_access_change_told_to_clients after update on server_access
  for each row when (old.can_read and not new.can_read) execute function tell_client_access_end();
comment on trigger server_access_change_told_to_clients on server_access is
  'A mapping that loses READ ends sessions without changing their rows.';

create function tell_client_internal_end() returns trigger language plpgsql as $$
begin
  perform tell_unreadable_sessions_end(new.id, null);
  return null;
end $$;
comment on function tell_client_internal_end is
  'Queues a logout token for each session of the client in a server that it may no longer read.';

create trigger projects_internal_end_told_to_clients after update on projects for each row
  when (old.is_internal and not new.is_internal and new.deactivated_at is null and new.deleted_at is null)
  execute function tell_client_internal_end();
comment on trigger projects_internal_end_told_to_clients on projects is
  'A project that is no longer internal loses the main server, unless it has a mapping to it.';

create function tell_main_server_end() returns trigger language plpgsql as $$
begin
  perform tell_unreadable_sessions_end(null, new.id);
  return null;
end $$;
comment on function tell_main_server_end is
  'Queues a logout token for each session in the server whose client may no longer read it.';

create trigger servers_main_end_told_to_clients after update on servers for each row
  when (old.is_main and not new.is_main)
  execute function tell_main_server_end();
comment on trigger servers_main_end_told_to_clients on servers is
  'Internal projects lose a server when it is no longer the main server.';

create trigger oidc_clients_restarted after update on oidc_clients for each row
  when (old.backchannel_logout_uri is distinct from new.backchannel_logout_uri)
  execute function restart_receiver('logout', 'project_id');
comment on trigger oidc_clients_restarted on oidc_clients is
  'A new address is tried immediately, because the earlier failures belong to the old one.';
