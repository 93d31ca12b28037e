-- Who keeps the mirror live. Of all instances one holds the gateway connection and writes what it hears.

create table live_mirror (
  -- The key, so that a new leader waits for batches of the old one that are being written, and each later
  -- batch of the old one finds that it no longer leads.
  epoch bigint primary key,
  holder uuid,
  -- Moves on as long as the leader does. One that stands still is replaced, dead or hung.
  beat_at timestamptz(3),
  -- For the other instances' health and monitoring: closed, connecting, connected or refused, and why.
  gateway_state text not null default 'closed',
  gateway_problem text
);

create unique index live_mirror_only on live_mirror ((true));
insert into live_mirror (epoch) values (0);
