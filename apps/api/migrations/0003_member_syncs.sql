-- Reading all members of a server from the platform: one run at a time and server, whichever instance runs it.

create table member_syncs (
  id uuid primary key,
  server_id text collate "C" not null references servers,
  -- Who asked for it, for the audit entry at its end.
  started_by jsonb not null default '{}',
  started_at timestamptz(3) not null default clock_now(),
  -- Whoever works on it now. One that was thought gone and comes back finds that it is not theirs any more.
  runner uuid,
  -- Moves on as long as somebody works on it: a run that stands still has lost its process, and goes on in another one.
  beat_at timestamptz(3) not null default clock_now(),
  finished_at timestamptz(3),
  -- The last member that was read; null when all were, and only those whom the list lacked are asked about.
  after_id text collate "C" default '0',
  -- Whom the pages of a complete list lacked, page by page with the time it was asked for, so that whoever goes on can
  -- end them.
  unlisted jsonb not null default '[]',
  -- Members that the platform listed, rows that differed, and memberships that the platform said are over.
  seen integer not null default 0,
  changed integer not null default 0,
  ended integer not null default 0,
  -- Why it failed; null while it runs and when it succeeded.
  problem text
);

create unique index member_syncs_running on member_syncs (server_id) where finished_at is null;
create index member_syncs_latest on member_syncs (server_id, started_at desc, id desc);

-- A run as the administration sees it.
create function member_sync_json(run member_syncs) returns json language sql stable as $$
  select json_build_object(
    'id', run.id, 'serverId', run.server_id,
    'status', case when run.finished_at is null then 'running' when run.problem is null then 'succeeded' else 'failed' end,
    'startedAt', iso(run.started_at), 'finishedAt', iso(run.finished_at),
    'seen', run.seen, 'changed', run.changed, 'ended', run.ended, 'problem', run.problem)
$$;
