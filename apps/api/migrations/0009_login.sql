-- Sign-ins in progress, the one-time codes that they result in, and the single sign-on of browsers.

create table auth_requests (
  id uuid primary key,
  browser_digest text collate "C" not null unique,
  chat_state text collate "C" not null unique,
  chat_code_verifier text not null,
  project_id uuid references projects,
  server_id text collate "C" not null,
  redirect_uri text not null,
  state text,
  code_challenge text,
  interaction text collate "C",
  address text collate "C" not null,
  created_at timestamptz(3) not null default clock_now(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);
comment on table auth_requests is 'Sign-ins in progress: from the redirect to the platform until its callback.';
comment on column auth_requests.browser_digest is 'The digest of the cookie that ties the sign-in to its browser.';
comment on column auth_requests.chat_state is 'The state parameter that the platform must return.';
comment on column auth_requests.chat_code_verifier is 'The PKCE verifier of the request to the platform.';
comment on column auth_requests.project_id is
  'The project that the member signs in to. Null: an administrator signs in to this service.';
comment on column auth_requests.state is 'The state parameter that the project must get back.';
comment on column auth_requests.code_challenge is 'The PKCE challenge that the project has sent.';
comment on column auth_requests.interaction is
  'The OpenID Connect request that waits for this sign-in. It gets the result instead of a one-time code.';
comment on column auth_requests.address is
  'The address of the client; of an IPv6 address, its /64. If too many sign-ins are stored, those of the addresses with the most are deleted first.';

create index auth_requests_expiry on auth_requests (expires_at);

create table authorization_codes (
  digest text collate "C" primary key,
  project_id uuid references projects,
  member_id text collate "C" not null references members,
  server_id text collate "C" not null,
  redirect_uri text not null,
  code_challenge text,
  browser_digest text collate "C",
  ip text,
  user_agent text,
  created_at timestamptz(3) not null default clock_now(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  session_id uuid
);
comment on table authorization_codes is
  'One-time codes that a project exchanges for a session. A used code is kept for some time, so that a second use is detected.';
comment on column authorization_codes.browser_digest is
  'For an administrator: the browser that began the sign-in. Only this browser may redeem the code for cookies.';
comment on column authorization_codes.session_id is
  'The session that the first use has created. A second use revokes it.';

create index authorization_codes_open on authorization_codes (member_id) where used_at is null;
create index authorization_codes_expiry on authorization_codes (expires_at);
create index authorization_codes_unused_expiry on authorization_codes (expires_at) where used_at is null;
comment on index authorization_codes_unused_expiry is
  'Finds unused codes, which are deleted soon after they expire. Used codes are kept longer.';

create table sso_sessions (
  id uuid primary key,
  digest text collate "C" not null unique,
  previous_digest text collate "C",
  rotated_at timestamptz(3),
  member_id text collate "C" not null references members,
  ip text,
  user_agent text,
  created_at timestamptz(3) not null default clock_now(),
  expires_at timestamptz(3) not null
);
comment on table sso_sessions is 'Browsers that can sign in again without the screen of the platform.';
comment on column sso_sessions.digest is 'The digest of the cookie. The cookie is replaced at each use.';
comment on column sso_sessions.previous_digest is
  'The digest of the previous cookie. It remains valid for a moment, because two tabs may use the same cookie at the same time.';

create index sso_sessions_previous on sso_sessions (previous_digest);
create index sso_sessions_member on sso_sessions (member_id);
create index sso_sessions_expiry on sso_sessions (expires_at);

create table spent_sso (
  digest text collate "C" primary key,
  sso_id uuid not null references sso_sessions on delete cascade,
  spent_at timestamptz(3) not null default clock_now()
);
comment on table spent_sso is
  'Replaced cookies of single sign-on. A browser that sends one later has a copy, so they are kept as long as the single sign-on.';

create index spent_sso_by_id on spent_sso (sso_id);
