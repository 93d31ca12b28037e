-- The sessions of members and administrators, and the tokens that were replaced. Of every token, only the digest is
-- stored.

create table sessions (
  id uuid primary key,
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
  revoked_at timestamptz(3),
  revoked_reason text
) with (fillfactor = 90);
comment on table sessions is
  'Sessions, including ended ones until they are deleted. The view live_sessions defines which ones are valid.';
comment on column sessions.project_id is
  'The project that the session belongs to. Null: a session of an administrator.';
comment on column sessions.membership_generation is 'The generation of the membership that the session was created in.';
comment on column sessions.rotation is 'How often the tokens were refreshed.';
comment on column sessions.ip is
  'The address at the sign-in. It and user_agent are set to null after the configured number of days.';
comment on column sessions.max_expires_at is 'The latest possible end. No refresh extends the session beyond it.';
comment on column sessions.revoked_reason is 'Why the session was revoked, if there is a reason.';

create index sessions_of_member on sessions (member_id, created_at desc) where revoked_at is null;
create index sessions_ended_of_member on sessions (member_id, created_at desc) where revoked_at is not null;
comment on index sessions_ended_of_member is
  'Finds earlier sign-ins of a member. The current ones are in sessions_of_member.';
create index sessions_of_project on sessions (project_id, created_at desc, id desc) where revoked_at is null;
create index sessions_of_server on sessions (server_id, member_id) where revoked_at is null;
create index sessions_expiry on sessions (expires_at);
create index sessions_addresses on sessions (created_at) where ip is not null or user_agent is not null;
comment on index sessions_addresses is
  'Finds the oldest sessions with addresses. The addresses are deleted before the sessions are.';

create table spent_tokens (
  token_digest text collate "C" primary key,
  refresh_digest text collate "C" not null unique,
  session_id uuid not null references sessions on delete cascade,
  rotation integer not null,
  spent_at timestamptz(3) not null default clock_now()
);
comment on table spent_tokens is
  'Pairs of tokens that a refresh has replaced. If one is used later, it was stolen, or the pair that replaced it was. So they are kept as long as the session.';
comment on column spent_tokens.rotation is 'The number of refreshes when the pair was valid.';

create index spent_tokens_session on spent_tokens (session_id);

create table project_logouts (
  project_id uuid not null references projects,
  member_id text collate "C" not null references members,
  at timestamptz(3) not null default clock_now(),
  primary key (project_id, member_id)
);
comment on table project_logouts is
  'When a project last ended all sessions of a member. A single sign-on from before this time cannot sign in the member again.';

create table member_activity (
  member_id text collate "C" primary key references members on delete cascade,
  seen_at timestamptz(3) not null
);
comment on table member_activity is
  'When each member last signed in or refreshed a session. Ended sessions are deleted too early to tell which members are active.';
