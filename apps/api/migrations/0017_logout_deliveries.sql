-- Holds the logout tokens for OpenID Connect clients (back-channel logout).

create table oidc_logouts (
  id uuid primary key default gen_random_uuid(),
  session_id uuid not null,
  project_id uuid not null,
  member_id text collate "C" not null,
  uri text not null,
  created_at timestamptz(3) not null default clock_now(),
  queued_at timestamptz(3) default clock_now(),
  attempts integer not null default 0,
  next_attempt_at timestamptz(3) not null default clock_now(),
  last_attempt_at timestamptz(3),
  last_status smallint,
  last_error text,
  delivered_at timestamptz(3),
  failed_at timestamptz(3)
);
comment on table oidc_logouts is
  'Logout tokens that are or were sent. A row holds the claims; the token is signed when it is sent.';
comment on column oidc_logouts.uri is 'The logout address of the client.';
comment on column oidc_logouts.queued_at is 'When the token was queued; sending it again by hand renews the time.';

create index oidc_logouts_waiting on oidc_logouts (next_attempt_at) where delivered_at is null and failed_at is null;
create index oidc_logouts_newest on oidc_logouts (project_id, created_at desc, id desc);
create index oidc_logouts_age on oidc_logouts (created_at);

create function tell_client_session_end() returns trigger language plpgsql as $$
begin
  insert into oidc_logouts (session_id, project_id, member_id, uri)
  select new.id, new.project_id, new.member_id, c.backchannel_logout_uri
  from oidc_sessions o join oidc_clients c on c.project_id = o.project_id
  where o.session_id = new.id and c.enabled and c.backchannel_logout_uri is not null;
  return null;
end $$;
comment on function tell_client_session_end is 'Queues a logout token for the client of the session.';

create trigger sessions_end_told_to_clients after update on sessions for each row
  when (old.revoked_at is null and new.revoked_at is not null and new.project_id is not null
    and new.revoked_reason is distinct from 'token_revoked')
  execute function tell_client_session_end();
comment on trigger sessions_end_told_to_clients on sessions is
  'Many statements revoke sessions, and each must notify the client, which keeps a session of its own. A client that revoked the token itself needs no notification.';

create function tell_client_end() returns trigger language plpgsql as $$
begin
  insert into oidc_logouts (session_id, project_id, member_id, uri)
  select s.id, s.project_id, s.member_id, c.backchannel_logout_uri
  from oidc_clients c join oidc_sessions o on o.project_id = c.project_id
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
  'A project that is deactivated or deleted loses all sessions, and its client must learn of each.';

create function tell_client_off() returns trigger language plpgsql as $$
begin
  insert into oidc_logouts (session_id, project_id, member_id, uri)
  select s.id, s.project_id, s.member_id, old.backchannel_logout_uri
  from oidc_sessions o join sessions s on s.id = o.session_id and s.revoked_at is null and s.expires_at > clock_now()
  where o.project_id = old.project_id;
  return null;
end $$;
comment on function tell_client_off is 'Queues a logout token for each session of a client that is disabled.';

create trigger oidc_clients_off_told after update on oidc_clients for each row
  when (old.enabled and not new.enabled and old.backchannel_logout_uri is not null)
  execute function tell_client_off();
comment on trigger oidc_clients_off_told on oidc_clients is
  'A client that is disabled keeps sessions of its own, and must learn that they have ended.';

create function move_waiting_logouts() returns trigger language plpgsql as $$
begin
  if new.backchannel_logout_uri is null then
    update oidc_logouts set failed_at = clock_now(), last_error = 'The client has no logout address any more.'
    where project_id = new.project_id and delivered_at is null and failed_at is null;
  else
    update oidc_logouts set uri = new.backchannel_logout_uri
    where project_id = new.project_id and delivered_at is null and failed_at is null;
  end if;
  return null;
end $$;
comment on function move_waiting_logouts is
  'Redirects the queued logout tokens of a client to its new address, or marks them as failed if there is none.';

-- Triggers run in the order of their names: this one after oidc_clients_off_told, which queues tokens for the old address.
create trigger oidc_clients_told_elsewhere after update on oidc_clients for each row
  when (old.backchannel_logout_uri is distinct from new.backchannel_logout_uri)
  execute function move_waiting_logouts();
comment on trigger oidc_clients_told_elsewhere on oidc_clients is
  'No token is sent to an address that was removed, whichever statement removes it.';

create function tell_unreadable_sessions_end(of_project uuid, in_server text) returns void language sql as $$
  insert into oidc_logouts (session_id, project_id, member_id, uri)
  select s.id, s.project_id, s.member_id, c.backchannel_logout_uri
  from oidc_clients c join oidc_sessions o on o.project_id = c.project_id
  join sessions s on s.id = o.session_id and s.revoked_at is null and s.expires_at > clock_now()
  where c.enabled and c.backchannel_logout_uri is not null
    and (of_project is null or c.project_id = of_project) and (in_server is null or s.server_id = in_server)
    and not exists (
      select from readable_servers r where r.project_id = s.project_id and r.server_id = s.server_id)
$$;
comment on function tell_unreadable_sessions_end is
  'Queues a logout token for each session in a server that its client may no longer read: of one project or all, in one server or all.';

create function tell_client_access_end() returns trigger language plpgsql as $$
begin
  perform tell_unreadable_sessions_end(old.project_id, old.server_id);
  return null;
end $$;
comment on function tell_client_access_end is
  'Queues a logout token for each session of the client in the server, unless it may still read the server.';

create trigger server_access_end_told_to_clients after delete on server_access
  for each row when (old.can_read) execute function tell_client_access_end();
comment on trigger server_access_end_told_to_clients on server_access is
  'A mapping that is deleted ends sessions without changing their rows.';
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
  'Queues a logout token for each session in the server, if its client may no longer read the server.';

create trigger servers_main_end_told_to_clients after update on servers for each row
  when (old.is_main and not new.is_main)
  execute function tell_main_server_end();
comment on trigger servers_main_end_told_to_clients on servers is
  'Internal projects lose a server that is no longer the main server.';
