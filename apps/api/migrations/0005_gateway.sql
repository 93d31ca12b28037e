-- Records which instance has the gateway connection, what the gateway has reported, and every sync of a member list.

create table live_mirror (
  epoch bigint primary key,
  beat_at timestamptz(3),
  backend_pid integer,
  backend_start timestamptz,
  gateway_state text not null default 'closed',
  gateway_problem text,
  gateway_latency_ms integer,
  gateway_shards integer not null default 0,
  gateway_sessions_left integer,
  last_event_at timestamptz(3),
  lag_ms integer,
  handover bytea,
  beginnings jsonb,
  beginnings_at timestamptz(3)
);
comment on table live_mirror is
  'The leader: the only instance with gateway connections. It writes the events of all shards.';
comment on column live_mirror.epoch is
  'The number of leaders so far. It is the primary key, so a new leader waits for writes in progress, and each later write of the old leader fails.';
comment on column live_mirror.beat_at is
  'The last heartbeat of the leader. Without heartbeats, another instance becomes the leader, whether this one is dead or only hangs.';
comment on column live_mirror.backend_pid is
  'The process ID of the database connection that sent the last heartbeat. If this connection has ended, the leader most likely has, too.';
comment on column live_mirror.backend_start is 'When that connection began, because process IDs are used again.';
comment on column live_mirror.gateway_state is 'closed, connecting, connected, or refused, as the leader last reported it.';
comment on column live_mirror.gateway_problem is 'Why the gateway is not connected, and the fix.';
comment on column live_mirror.gateway_latency_ms is
  'The time between a heartbeat and its answer, on the slowest shard. Null: not connected.';
comment on column live_mirror.gateway_sessions_left is
  'The number of new gateway sessions that the platform still permits.';
comment on column live_mirror.lag_ms is 'How long the oldest event that is not written has waited.';
comment on column live_mirror.handover is
  'The encrypted state for the next leader, so that it can resume the gateway sessions instead of reading everything again: the sessions with their last written events, and the servers that were read completely.';
comment on column live_mirror.beginnings is
  'What the next leader must know before it begins a gateway session: when each lane is free, when each shard began its last session, how many sessions failed, and how many are left.';

create unique index live_mirror_only on live_mirror ((true));
insert into live_mirror (epoch) values (0);

create table gateway_servers (
  server_id text collate "C" primary key references servers on delete cascade,
  session text,
  sequence bigint,
  unvouched_since timestamptz(3),
  is_lost boolean not null default false
);
comment on table gateway_servers is 'The position of each server in the event stream of the gateway.';
comment on column gateway_servers.session is 'The gateway session that last reported an event of the server.';
comment on column gateway_servers.sequence is
  'The last event of that session that was written. Repeated events are skipped.';
comment on column gateway_servers.unvouched_since is
  'Since this time, there has been a leader that does not guarantee that the server is current. Null: it does, or there is no leader.';
comment on column gateway_servers.is_lost is 'True if the bot was removed from the server.';

create table member_syncs (
  id uuid primary key,
  server_id text collate "C" not null references servers,
  started_by jsonb not null default '{}',
  started_at timestamptz(3) not null default clock_now(),
  runner uuid,
  beat_at timestamptz(3) not null default clock_now(),
  finished_at timestamptz(3),
  after_id text collate "C" default '0',
  unlisted jsonb not null default '[]',
  seen integer not null default 0,
  changed integer not null default 0,
  ended integer not null default 0,
  problem text
);
comment on table member_syncs is
  'Every sync, which reads all members of a server from the platform. Only one runs per server at a time, on any instance.';
comment on column member_syncs.started_by is 'The administrator who started the sync, for the audit entry at its end.';
comment on column member_syncs.runner is
  'The process that runs the sync. A process that was considered dead notices here that another one has taken over.';
comment on column member_syncs.beat_at is
  'The last heartbeat of that process. Without heartbeats, another instance continues the sync.';
comment on column member_syncs.after_id is
  'The last member that was read. Null: all were read, and only the members that were missing in the list are left to check.';
comment on column member_syncs.unlisted is
  'The members that were missing in the list, by page and with the time of the request. The next process can then end their memberships.';
comment on column member_syncs.seen is 'The number of members that the platform listed.';
comment on column member_syncs.changed is 'The number of rows that were written.';
comment on column member_syncs.ended is 'The number of memberships that were ended.';
comment on column member_syncs.problem is 'Why the sync failed. Null: it is running, or has succeeded.';

create unique index member_syncs_running on member_syncs (server_id) where finished_at is null;
create index member_syncs_latest on member_syncs (server_id, started_at desc, id desc);

create function member_sync_json(run member_syncs) returns json language sql stable as $$
  select json_build_object(
    'id', run.id, 'serverId', run.server_id,
    'status', case when run.finished_at is null then 'running' when run.problem is null then 'succeeded' else 'failed' end,
    'startedAt', iso(run.started_at), 'finishedAt', iso(run.finished_at),
    'seen', run.seen, 'changed', run.changed, 'ended', run.ended, 'problem', run.problem)
$$;
comment on function member_sync_json is 'Returns a sync in the form of the administration API.';
