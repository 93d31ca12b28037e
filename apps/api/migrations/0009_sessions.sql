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
  revoked_at timestamptz(3),
  -- Why it was ended, where whoever ended it says so.
  revoked_reason text
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

-- A session that is good right now: the one definition of "live". Not revoked, not expired, made in the
-- membership that the member still has, in a server that is still registered, of a project that is active
-- and may still read that server.
create view live_sessions as
  select s.*, u.username, u.global_name, u.avatar, u.email, u.preferred_name, u.is_club_member,
    u.created_at as member_created_at, u.updated_at as member_updated_at, m.nick, m.role_ids, m.synced_at,
    v.is_main, v.live_until, v.live_as_of
  from sessions s
  join memberships m on m.server_id = s.server_id and m.member_id = s.member_id
    and m.generation = s.membership_generation and m.left_at is null
  join members u on u.id = s.member_id
  join servers v on v.id = s.server_id and v.removed_at is null
  left join projects p on p.id = s.project_id
  where s.revoked_at is null and s.expires_at > clock_now()
    and (s.project_id is null or (
      p.deleted_at is null and p.deactivated_at is null and (
        exists (
          select from server_access a
          where a.project_id = s.project_id and a.server_id = s.server_id and a.can_read)
        or (p.is_internal and v.is_main))));

-- When a project last ended everything of a member. Single sign-on from before then does not log in again.
create table project_logouts (
  project_id uuid not null references projects,
  member_id text collate "C" not null references members,
  at timestamptz(3) not null default clock_now(),
  primary key (project_id, member_id)
);

-- When a member last logged in or refreshed a session. Sessions themselves are deleted a week after their end,
-- which is sooner than "active" may reach back.
create table member_activity (
  member_id text collate "C" primary key references members on delete cascade,
  seen_at timestamptz(3) not null
);
