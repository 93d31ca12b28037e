-- Records which instance holds the gateway connection, what the gateway reported, and each sync of a member list.

create table live_mirror (
  epoch bigint primary key,
  group_index integer not null default 0,
  group_count integer not null default 1,
  holder uuid,
  wanted_at timestamptz(3),
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
  'Holds the leader of each group of shards: the one instance that holds their gateway connections and writes their events.';
comment on column live_mirror.epoch is
  'Grows with each leader. As the key it makes a new leader wait for writes in progress, and makes each later write of the old leader fail.';
comment on column live_mirror.group_index is 'The group of shards, from 0 to group_count - 1.';
comment on column live_mirror.holder is 'Identifies the process that leads.';
comment on column live_mirror.wanted_at is 'Another instance that leads fewer groups asked for this group then.';
comment on column live_mirror.beat_at is
  'The last heartbeat of the leader. A leader that stops sending heartbeats is replaced, whether it is dead or hung.';
comment on column live_mirror.backend_pid is
  'The database connection of the last heartbeat. If that connection has ended, the process most likely has too.';
comment on column live_mirror.backend_start is 'When that database connection began, because process IDs are reused.';
comment on column live_mirror.gateway_state is 'closed, connecting, connected, or refused, as the leader last reported it.';
comment on column live_mirror.gateway_problem is 'Why the gateway is not connected.';
comment on column live_mirror.gateway_latency_ms is
  'Time between a heartbeat to the gateway and its acknowledgement, for the slowest shard. Null: not connected.';
comment on column live_mirror.gateway_sessions_left is 'New gateway sessions that the platform still allows.';
comment on column live_mirror.lag_ms is 'The age of the oldest event that is not written yet.';
comment on column live_mirror.handover is
  'Sealed state for the next leader, which resumes the gateway sessions instead of reading everything again: sessions, the last written event of each, and the servers that are complete.';
comment on column live_mirror.beginnings is 'The state of new gateway sessions for the next leader: when each lane is free, when each shard began its last session, how many failed, and the remaining quota.';

create unique index live_mirror_group on live_mirror (group_count, group_index);
insert into live_mirror (epoch) values (0);

create table gateway_servers (
  server_id text collate "C" primary key references servers on delete cascade,
  session text,
  sequence bigint,
  unvouched_since timestamptz(3),
  is_lost boolean not null default false
);
comment on table gateway_servers is 'Holds the position of each server in the event stream of the gateway.';
comment on column gateway_servers.session is 'The gateway session that last reported an event of the server.';
comment on column gateway_servers.sequence is 'The last written event of that session; repeated events are skipped.';
comment on column gateway_servers.unvouched_since is
  'Since then a leader exists that does not vouch for the server. Null: it vouches, or there is no leader.';
comment on column gateway_servers.is_lost is 'The bot is not in the server.';

create table gateway_lanes (
  lane integer primary key,
  free_at timestamptz(3) not null
);
comment on table gateway_lanes is
  'Spaces the new gateway sessions of all instances, because the platform counts them per bot.';
comment on column gateway_lanes.free_at is 'The next session in this lane may begin then.';

create table gateway_starts (
  is_only boolean primary key default true check (is_only),
  remaining integer not null,
  reset_at timestamptz(3) not null
);
comment on table gateway_starts is 'Holds the quota of new gateway sessions.';
comment on column gateway_starts.remaining is
  'Sessions that the platform still allowed, minus those that were begun since it reported the number.';
comment on column gateway_starts.reset_at is 'The platform renews the quota then.';

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
  'Holds each sync, which reads all members of a server from the platform. One runs per server at a time, on any instance.';
comment on column member_syncs.started_by is 'The administrator who started it, for the audit entry at its end.';
comment on column member_syncs.runner is
  'Identifies the process that runs it. A process that was considered dead notices here that another has taken over.';
comment on column member_syncs.beat_at is 'The last heartbeat of the runner. Without heartbeats another instance continues the sync.';
comment on column member_syncs.after_id is
  'The last member that was read. Null: all were read, and only members that were missing from the list remain to be requested.';
comment on column member_syncs.unlisted is
  'Members that were missing from the list, page by page with the time of the request, so that the next runner can end their memberships.';
comment on column member_syncs.seen is 'Members that the platform listed.';
comment on column member_syncs.changed is 'Rows that differed.';
comment on column member_syncs.ended is 'Memberships that have ended according to the platform.';
comment on column member_syncs.problem is 'Why the sync failed. Null: it runs or succeeded.';

create unique index member_syncs_running on member_syncs (server_id) where finished_at is null;
create index member_syncs_latest on member_syncs (server_id, started_at desc, id desc);

create function member_sync_json(run member_syncs) returns json language sql stable as $$
  select json_build_object(
    'id', run.id, 'serverId', run.server_id,
    'status', case when run.finished_at is null then 'running' when run.problem is null then 'succeeded' else 'failed' end,
    'startedAt', iso(run.started_at), 'finishedAt', iso(run.finished_at),
    'seen', run.seen, 'changed', run.changed, 'ended', run.ended, 'problem', run.problem)
$$;
comment on function member_sync_json is 'Returns a sync as the administration API shows it.';
