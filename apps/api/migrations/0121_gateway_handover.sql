-- What a leader leaves to the next one, so that it goes on with the session of the gateway instead of reading all anew.

alter table live_mirror
  -- Sessions, up to where all that they told is written, and which servers are complete by then; sealed.
  add column handover bytea,
  -- When new sessions were asked for, how many failed and how many are left: one count for all instances.
  add column beginnings jsonb,
  add column beginnings_at timestamptz(3),
  -- The database connection of the last renewal. When it is gone, its process most likely is too.
  add column backend_pid integer,
  add column backend_start timestamptz,
  -- For monitoring on every instance: new sessions left, and the age of the oldest change that is not written.
  add column gateway_sessions_left integer,
  add column lag_ms integer;

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
