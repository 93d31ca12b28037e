-- The fingerprints of the keys that secrets are sealed under, so that a changed key is told at start.

create table key_fingerprints (
  purpose text primary key,
  fingerprint text not null,
  noted_at timestamptz(3) not null default clock_now()
);
