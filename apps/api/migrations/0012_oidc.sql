-- OpenID Connect: the clients, the records of the protocol library, the consents of members, and the signing keys.

create table oidc_clients (
  project_id uuid primary key references projects,
  enabled boolean not null,
  server_id text collate "C",
  is_public boolean not null,
  post_logout_redirect_uris text[] not null,
  backchannel_logout_uri text,
  device_flow boolean not null,
  roles_in_id_token boolean not null,
  client_hosts text[] not null default '{}',
  enabled_since timestamptz,
  updated_at timestamptz(3) not null default clock_now()
);
comment on table oidc_clients is 'Projects that are OpenID Connect clients. A project without a row is not a client.';
comment on column oidc_clients.server_id is 'The server that members sign in to. Null: the main server.';
comment on column oidc_clients.is_public is
  'True if the client does not authenticate with an API key. It must then use PKCE.';
comment on column oidc_clients.client_hosts is
  'Hosts of client ID metadata documents. The programs that these documents describe may sign members in to the APIs of the project.';
comment on column oidc_clients.enabled_since is 'When the client was last enabled again. Null: never.';

create function note_enabled_since() returns trigger language plpgsql as $$
begin
  new.enabled_since := date_trunc('milliseconds', clock_now() + (clock_timestamp() - now()));
  return new;
end $$;
comment on function note_enabled_since is 'Sets enabled_since of the client.';

create trigger oidc_clients_on_again before update on oidc_clients for each row
  when (not old.enabled and new.enabled) execute function note_enabled_since();
comment on trigger oidc_clients_on_again on oidc_clients is
  'Logout tokens have reported that the sessions of a disabled client ended. Enabling the client must not make them valid again.';

create table oidc_resources (
  resource text collate "C" primary key,
  project_id uuid not null references projects,
  place int not null
);
comment on table oidc_resources is
  'The APIs of projects. A client names the URI of an API when it asks for a token. Only the project of the API can introspect such a token.';
comment on column oidc_resources.place is 'The position in the list of the project.';

create index oidc_resources_by_project on oidc_resources (project_id, place);

create table oidc_records (
  digest text collate "C" primary key,
  model text not null,
  session_id uuid references sessions on delete cascade,
  uid_digest text collate "C",
  user_code_digest text collate "C",
  payload text not null,
  address text collate "C",
  created_at timestamptz(3) not null default clock_now(),
  expires_at timestamptz(3) not null,
  consumed_at timestamptz(3),
  polled_at timestamptz(3)
);
comment on table oidc_records is 'The state of the protocol library. Tokens and codes are stored as digests only.';
comment on column oidc_records.model is 'The kind of record in the terms of the library, for example RefreshToken.';
comment on column oidc_records.session_id is 'The session of a code or token. They end with it.';
comment on column oidc_records.payload is 'JSON as text, because jsonb cannot contain NUL characters.';
comment on column oidc_records.consumed_at is
  'When the record was first used. The same client may use a device code again shortly afterwards.';
comment on column oidc_records.polled_at is
  'When the client last polled for a device code without being too early. Null: it never did.';
comment on column oidc_records.address is
  'The address of an anonymous client; of an IPv6 address, its /64. If too many records are stored, those of the addresses with the most are deleted first.';

create index oidc_records_expiry on oidc_records (expires_at);
create index oidc_records_session on oidc_records (session_id) where session_id is not null;
create unique index oidc_records_uid on oidc_records (uid_digest) where uid_digest is not null;
create unique index oidc_records_user_code on oidc_records (user_code_digest) where user_code_digest is not null;
create index oidc_records_used on oidc_records (consumed_at) where model = 'RefreshToken' and consumed_at is not null;
comment on index oidc_records_used is
  'Finds used refresh tokens, which are deleted after some time. A client that refreshes every ten minutes leaves thousands of them.';

create table oidc_sessions (
  session_id uuid primary key references sessions on delete cascade,
  project_id uuid not null,
  client_id text collate "C",
  scope text not null
);
comment on table oidc_sessions is 'The sessions of projects that OpenID Connect has created, and their scopes.';

comment on column oidc_sessions.client_id is
  'The address of the metadata document of the client. Null: the client is the project itself.';

create index oidc_sessions_project on oidc_sessions (project_id);

create table oidc_consents (
  project_id uuid not null references projects,
  member_id text collate "C" not null references members on delete cascade,
  client_id text collate "C" not null default '',
  scopes text[] not null,
  created_at timestamptz(3) not null default clock_now(),
  primary key (project_id, member_id, client_id)
);
comment on table oidc_consents is 'What a member has granted to a project.';
comment on column oidc_consents.client_id is
  'The address of the metadata document of a program that may use the APIs of the project. Empty: the project itself.';
comment on column oidc_consents.scopes is
  'The scopes, and for each API that may be used on behalf of the member, `resource:` with its URI.';

create table oidc_signing_keys (
  kid text collate "C" primary key,
  sealed bytea not null,
  created_at timestamptz(3) not null default clock_now(),
  signs_from timestamptz(3) not null
);
comment on table oidc_signing_keys is
  'The keys that sign ID tokens and logout tokens. The newest key whose signs_from has passed is used. Older ones stay published, so that their signatures can be verified.';
comment on column oidc_signing_keys.sealed is 'The encrypted private key, as a JWK.';
comment on column oidc_signing_keys.signs_from is
  'From this time on, the key is used: an hour after its publication, when clients have fetched it.';
