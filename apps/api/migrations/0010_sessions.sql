-- Holds sessions of members and administrators, and their spent tokens. Tokens are stored as digests only.

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
comment on table sessions is 'Sessions, including ended ones until housekeeping deletes them. The view live_sessions says which are valid.';
comment on column sessions.project_id is 'The project. Null: a session of an administrator.';
comment on column sessions.membership_generation is 'The generation of the membership that the session was created in.';
comment on column sessions.rotation is 'Counts how often the tokens were refreshed.';
comment on column sessions.ip is 'The address at sign-in. Housekeeping sets it and user_agent to null after the configured days.';
comment on column sessions.max_expires_at is 'No refresh extends the session beyond this time.';
comment on column sessions.revoked_reason is 'Why the session was revoked, if the caller gave a reason.';

create index sessions_of_member on sessions (member_id, created_at desc) where revoked_at is null;
create index sessions_ended_of_member on sessions (member_id, created_at desc) where revoked_at is not null;
comment on index sessions_ended_of_member is 'Finds earlier sign-ins of a member; sessions_of_member has the rest.';
create index sessions_of_project on sessions (project_id, created_at desc, id desc) where revoked_at is null;
create index sessions_of_server on sessions (server_id, member_id) where revoked_at is null;
create index sessions_expiry on sessions (expires_at);
create index sessions_addresses on sessions (created_at) where ip is not null or user_agent is not null;
comment on index sessions_addresses is 'Finds the oldest sessions with addresses, which are deleted before the sessions end.';

create table spent_tokens (
  token_digest text collate "C" primary key,
  refresh_digest text collate "C" not null unique,
  session_id uuid not null references sessions on delete cascade,
  rotation integer not null,
  spent_at timestamptz(3) not null default clock_now()
);
comment on table spent_tokens is
  'Token pairs that a refresh replaced. A client that presents one later has stolen it, or was robbed, so they are stored as long as the session.';
comment on column spent_tokens.rotation is 'The rotation of the session that the pair belonged to.';

create index spent_tokens_session on spent_tokens (session_id);

create table project_logouts (
  project_id uuid not null references projects,
  member_id text collate "C" not null references members,
  at timestamptz(3) not null default clock_now(),
  primary key (project_id, member_id)
);
comment on table project_logouts is
  'Records when a project last ended all sessions of a member. Single sign-on from before that time does not sign in again.';

create table member_activity (
  member_id text collate "C" primary key references members on delete cascade,
  seen_at timestamptz(3) not null
);
comment on table member_activity is
  'Records when each member last signed in or refreshed a session. Ended sessions are deleted too soon to tell which members are active.';
