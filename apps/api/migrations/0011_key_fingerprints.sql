-- A fingerprint of each encryption key, so that a start with another key says so before someone needs a secret.
create table key_fingerprints (
  purpose text primary key,
  fingerprint text not null,
  created_at timestamptz(3) not null default clock_now()
);
