-- The trail of access changes, and the fingerprints of the keys that secrets are sealed under.

create table access_trail (
  id uuid primary key,
  -- The order in which changes took effect: a transaction that waited began before the one it waited for.
  seq bigint generated always as identity unique,
  at timestamptz(3) not null default clock_now(),
  action text not null check (action in ('GRANT', 'UPDATE', 'REVOKE')),
  project_id uuid not null,
  project_name text not null,
  server_id text collate "C" not null,
  server_name text not null,
  actor_id text,
  actor_username text,
  before json,
  after json
);

create index access_trail_project on access_trail (project_id, seq desc);
create index access_trail_server on access_trail (server_id, seq desc);

create table key_fingerprints (
  purpose text primary key,
  fingerprint text not null,
  noted_at timestamptz(3) not null default clock_now()
);
