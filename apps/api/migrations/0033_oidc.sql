-- OpenID Connect: what a project is as a client, what is between a login and its tokens, and who is told of a logout.

-- A project without a row is no client, like one whose row is switched off.
create table oidc_clients (
  project_id uuid primary key references projects,
  enabled boolean not null,
  -- Null: the main server.
  server_id text collate "C",
  is_public boolean not null,
  post_logout_redirect_uris text[] not null,
  backchannel_logout_uri text,
  device_flow boolean not null,
  roles_in_id_token boolean not null,
  updated_at timestamptz(3) not null default clock_now()
);

-- What the protocol library keeps: by digests, so that no token and no code lies here in clear.
create table oidc_records (
  digest text collate "C" primary key,
  model text not null,
  -- Of codes and tokens: they are as good as this session.
  session_id uuid references sessions on delete cascade,
  uid_digest text collate "C",
  user_code_digest text collate "C",
  -- JSON as text: JSON may hold a NUL, jsonb may not.
  payload text not null,
  -- Who made a stranger's record, an IPv6 address as its /64, so that a flood is forgotten first.
  address text collate "C",
  created_at timestamptz(3) not null default clock_now(),
  expires_at timestamptz(3) not null,
  consumed_at timestamptz(3)
);

create index oidc_records_expiry on oidc_records (expires_at);
create index oidc_records_session on oidc_records (session_id) where session_id is not null;
create unique index oidc_records_uid on oidc_records (uid_digest) where uid_digest is not null;
create unique index oidc_records_user_code on oidc_records (user_code_digest) where user_code_digest is not null;

-- A session of a project that was made by this protocol, and what it may be asked for.
create table oidc_sessions (
  session_id uuid primary key references sessions on delete cascade,
  project_id uuid not null,
  scope text not null
);

-- What a member has agreed to, once for each project.
create table oidc_consents (
  project_id uuid not null references projects,
  member_id text collate "C" not null references members on delete cascade,
  scopes text[] not null,
  created_at timestamptz(3) not null default clock_now(),
  primary key (project_id, member_id)
);

-- The newest key that is old enough signs; those before it are kept for what they have signed.
create table oidc_signing_keys (
  kid text collate "C" primary key,
  -- The private key as a JWK, sealed.
  sealed bytea not null,
  created_at timestamptz(3) not null default clock_now(),
  -- An hour after it is published, so that nobody meets a signature by a key that they have not heard of.
  signs_from timestamptz(3) not null
);

-- Logout tokens that are to be sent: the facts, for a token is signed when it is sent.
create table oidc_logouts (
  id uuid primary key default gen_random_uuid(),
  session_id uuid not null,
  project_id uuid not null,
  member_id text collate "C" not null,
  uri text not null,
  created_at timestamptz(3) not null default clock_now(),
  attempts integer not null default 0,
  next_attempt_at timestamptz(3) not null default clock_now(),
  last_attempt_at timestamptz(3),
  last_status smallint,
  last_error text,
  delivered_at timestamptz(3),
  failed_at timestamptz(3)
);

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
comment on function tell_client_session_end is 'Writes the logout token that is to be sent to the client of the session.';

-- A session whose token the client itself revoked is no news to it.
create trigger sessions_end_told_to_clients after update on sessions for each row
  when (old.revoked_at is null and new.revoked_at is not null and new.project_id is not null
    and new.revoked_reason is distinct from 'token_revoked')
  execute function tell_client_session_end();
comment on trigger sessions_end_told_to_clients on sessions is
  'Sessions end in many places of the sources, and none may forget the client that keeps a session of its own.';

-- Of all sessions that a project has in a server, or in any.
create function tell_sessions_end(ended_project uuid, ended_server text) returns void language sql as $$
  insert into oidc_logouts (session_id, project_id, member_id, uri)
  select s.id, s.project_id, s.member_id, c.backchannel_logout_uri
  from oidc_clients c join oidc_sessions o on o.project_id = c.project_id
  join sessions s on s.id = o.session_id and s.revoked_at is null and s.expires_at > clock_now()
  where c.project_id = ended_project and c.enabled and c.backchannel_logout_uri is not null
    and (ended_server is null or s.server_id = ended_server)
$$;
comment on function tell_sessions_end is 'Writes a logout token for each session that the client has, in one server or in all.';

create function tell_client_end() returns trigger language plpgsql as $$
begin
  perform tell_sessions_end(new.id, null);
  return null;
end $$;
comment on function tell_client_end is 'Writes a logout token for each session that the client has.';

create trigger projects_end_told_to_clients after update on projects for each row
  when ((old.deactivated_at is null and new.deactivated_at is not null)
    or (old.deleted_at is null and new.deleted_at is not null))
  execute function tell_client_end();
comment on trigger projects_end_told_to_clients on projects is
  'A project that is switched off has no session any more, and its client has to hear of each.';

create function tell_client_access_end() returns trigger language plpgsql as $$
begin
  perform tell_sessions_end(old.project_id, old.server_id);
  return null;
end $$;
comment on function tell_client_access_end is 'Writes a logout token for each session that the client has in the server.';

create trigger server_access_end_told_to_clients after delete on server_access
  for each row when (old.can_read) execute function tell_client_access_end();
comment on trigger server_access_end_told_to_clients on server_access is
  'A mapping that ends takes sessions with it that nothing else marks as ended.';
create trigger server_access_change_told_to_clients after update on server_access
  for each row when (old.can_read and not new.can_read) execute function tell_client_access_end();
comment on trigger server_access_change_told_to_clients on server_access is
  'A mapping that loses READ takes sessions with it that nothing else marks as ended.';

create function tell_client_off() returns trigger language plpgsql as $$
begin
  insert into oidc_logouts (session_id, project_id, member_id, uri)
  select s.id, s.project_id, s.member_id, old.backchannel_logout_uri
  from oidc_sessions o join sessions s on s.id = o.session_id and s.revoked_at is null and s.expires_at > clock_now()
  where o.project_id = old.project_id;
  return null;
end $$;
comment on function tell_client_off is 'Writes a logout token for each session of a client that is switched off.';

create trigger oidc_clients_off_told after update on oidc_clients for each row
  when (old.enabled and not new.enabled and old.backchannel_logout_uri is not null)
  execute function tell_client_off();
comment on trigger oidc_clients_off_told on oidc_clients is
  'A client that is switched off keeps sessions of its own, and has to hear that they are over.';

-- Of a project, or in a server, where the project may use the server no more.
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
comment on function tell_unreadable_sessions_end is 'Writes a logout token for each session in a server that the client may use no more.';

create function tell_client_internal_end() returns trigger language plpgsql as $$
begin
  perform tell_unreadable_sessions_end(new.id, null);
  return null;
end $$;
comment on function tell_client_internal_end is 'Writes a logout token for each session of the client in a server that it may use no more.';

create trigger projects_internal_end_told_to_clients after update on projects for each row
  when (old.is_internal and not new.is_internal and new.deactivated_at is null and new.deleted_at is null)
  execute function tell_client_internal_end();
comment on trigger projects_internal_end_told_to_clients on projects is
  'A project that is internal no more loses the main server, unless it was granted that.';

create function tell_main_server_end() returns trigger language plpgsql as $$
begin
  perform tell_unreadable_sessions_end(null, new.id);
  return null;
end $$;
comment on function tell_main_server_end is 'Writes a logout token for each session in the server whose client may use it no more.';

create trigger servers_main_end_told_to_clients after update on servers for each row
  when (old.is_main and not new.is_main)
  execute function tell_main_server_end();
comment on trigger servers_main_end_told_to_clients on servers is
  'Internal projects use the main server, and lose it with its flag.';

create index oidc_sessions_project on oidc_sessions (project_id);

-- The login that a protocol request waits for: where it ends is told to that request, and no code is made.
alter table auth_requests add column interaction text collate "C";
