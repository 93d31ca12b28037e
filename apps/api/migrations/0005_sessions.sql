-- Sessions and the pairs they have used up. Only digests of tokens are stored.

create table sessions (
  id uuid primary key,
  -- Null for an admin session.
  project_id uuid references projects,
  member_id text collate "C" not null references members,
  server_id text collate "C" not null references servers,
  membership_generation integer not null,
  token_digest text collate "C" not null unique,
  refresh_digest text collate "C" not null unique,
  rotation integer not null default 0,
  ip text,
  user_agent text,
  created_at timestamptz(3) not null default clock_now(),
  expires_at timestamptz(3) not null,
  max_expires_at timestamptz(3) not null,
  revoked_at timestamptz(3)
) with (fillfactor = 90);

create index sessions_of_member on sessions (member_id, created_at desc) where revoked_at is null;
create index sessions_of_server on sessions (server_id, member_id) where revoked_at is null;
create index sessions_expiry on sessions (expires_at);

-- A used pair is kept as long as its session: whoever presents it later is a thief, or was robbed.
create table spent_tokens (
  token_digest text collate "C" primary key,
  refresh_digest text collate "C" not null unique,
  session_id uuid not null references sessions on delete cascade,
  rotation integer not null,
  spent_at timestamptz(3) not null default clock_now()
);

create index spent_tokens_session on spent_tokens (session_id);
