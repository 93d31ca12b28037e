-- A login under way, the code it ends in, and the browsers that may skip the platform's screen.

create table auth_requests (
  id uuid primary key,
  -- What this browser alone holds (cookie) and what the platform carries back (state).
  browser_digest text collate "C" not null unique,
  chat_state text collate "C" not null unique,
  chat_code_verifier text not null,
  -- Null for an admin login, which ends at a path of this service.
  project_id uuid references projects,
  server_id text collate "C" not null,
  redirect_uri text not null,
  state text,
  code_challenge text,
  -- Who began it, an IPv6 address as its /64, so that a flood is told from everyone else and is forgotten first.
  address text collate "C" not null,
  created_at timestamptz(3) not null default clock_now(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3)
);

create index auth_requests_expiry on auth_requests (expires_at);

create table authorization_codes (
  digest text collate "C" primary key,
  project_id uuid references projects,
  member_id text collate "C" not null references members,
  server_id text collate "C" not null,
  redirect_uri text not null,
  code_challenge text,
  -- Of an admin login: the browser that began it, which alone may redeem the code for cookies.
  browser_digest text collate "C",
  ip text,
  user_agent text,
  created_at timestamptz(3) not null default clock_now(),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  -- The session that the one use made, so that a second use can end it.
  session_id uuid
);

create index authorization_codes_open on authorization_codes (member_id) where used_at is null;
create index authorization_codes_expiry on authorization_codes (expires_at);
-- Codes that nobody used are of no use to anyone a moment after their minute; used ones are kept to know a second use.
create index authorization_codes_unused_expiry on authorization_codes (expires_at) where used_at is null;

create table sso_sessions (
  id uuid primary key,
  digest text collate "C" not null unique,
  -- The value before the last rotation, good for a moment: two tabs may use one cookie at once.
  previous_digest text collate "C",
  rotated_at timestamptz(3),
  member_id text collate "C" not null references members,
  -- Who came through the callback, as for sessions.
  ip text,
  user_agent text,
  created_at timestamptz(3) not null default clock_now(),
  expires_at timestamptz(3) not null
);

create index sso_sessions_previous on sso_sessions (previous_digest);
create index sso_sessions_member on sso_sessions (member_id);
create index sso_sessions_expiry on sso_sessions (expires_at);

-- A used value is kept as long as its single sign-on: whoever presents it later holds a copy.
create table spent_sso (
  digest text collate "C" primary key,
  sso_id uuid not null references sso_sessions on delete cascade,
  spent_at timestamptz(3) not null default clock_now()
);

create index spent_sso_by_id on spent_sso (sso_id);
