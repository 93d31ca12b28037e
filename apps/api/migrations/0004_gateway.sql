-- Who keeps the mirror live. Of all instances one holds the gateway connection and writes what it hears.

create table live_mirror (
  -- The key, so that a new leader waits for batches of the old one that are being written, and each later
  -- batch of the old one finds that it no longer leads.
  epoch bigint primary key,
  holder uuid,
  -- Moves on as long as the leader does. One that stands still is replaced, dead or hung.
  beat_at timestamptz(3),
  -- The database connection of the last renewal. When it is gone, its process most likely is too.
  backend_pid integer,
  backend_start timestamptz,
  -- What the leader last said of its connection, so that every instance can show it: closed, connecting, connected or
  -- refused, and why.
  gateway_state text not null default 'closed',
  gateway_problem text,
  -- Between a heartbeat and its answer, of the slowest shard; null while not connected.
  gateway_latency_ms integer,
  gateway_shards integer not null default 0,
  -- New sessions that the platform allows, the last event, and the age of the oldest change that is not written.
  gateway_sessions_left integer,
  last_event_at timestamptz(3),
  lag_ms integer,
  -- What a leader leaves to the next one, so that it goes on with the session of the gateway instead of reading all anew:
  -- sessions, up to where all that they told is written, and which servers are complete by then; sealed.
  handover bytea,
  -- When new sessions were asked for, how many failed and how many are left: one count for all instances.
  beginnings jsonb,
  beginnings_at timestamptz(3)
);

create unique index live_mirror_only on live_mirror ((true));
insert into live_mirror (epoch) values (0);

-- What the gateway told of each server.
create table gateway_servers (
  server_id text collate "C" primary key references servers on delete cascade,
  -- Which session told of it last, and the last of its events that is written: what is told again is skipped.
  session text,
  sequence bigint,
  -- Since when nobody vouches for it while there is a leader; null while somebody does.
  unvouched_since timestamptz(3),
  -- The bot is not in it.
  is_lost boolean not null default false
);
