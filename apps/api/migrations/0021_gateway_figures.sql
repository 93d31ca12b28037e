-- What the leader last said of its connection, so that every instance can show it.

alter table live_mirror
  -- Between a heartbeat and its answer, of the slowest shard; null while not connected.
  add column gateway_latency_ms integer,
  add column gateway_shards integer not null default 0,
  add column last_event_at timestamptz(3);
