-- What is posted to the webhook addresses of projects: each message and what became of it, in one row that is
-- written with the change it tells of, and the one queue that each project has.

create table notifications (
  id uuid primary key,
  -- The order of a project's messages. A change that saw another one committed has the later place.
  place bigint generated always as identity,
  -- No foreign key: it would lock the project's row with each submission.
  project_id uuid not null,
  type text not null,
  text text not null,
  created_at timestamptz(3) not null default clock_now(),
  -- When it took its place; sending it again gives it a new one.
  queued_at timestamptz(3) not null default clock_now(),
  attempts integer not null default 0,
  last_attempt_at timestamptz(3),
  last_status smallint,
  last_error text,
  delivered_at timestamptz(3),
  failed_at timestamptz(3)
);

create index notifications_waiting on notifications (project_id, place)
  where delivered_at is null and failed_at is null;
create index notifications_failed on notifications (project_id, created_at desc, id desc)
  where failed_at is not null;
create index notifications_newest on notifications (project_id, created_at desc, id desc);
create index notifications_age on notifications (created_at);

-- One row for each project that was ever posted for: whoever claims it posts its messages, one after another.
create table notification_queues (
  project_id uuid primary key,
  -- Digest of the sealed address that the following is about: a new address starts afresh.
  address bytea,
  failures integer not null default 0,
  failing_since timestamptz(3),
  next_attempt_at timestamptz(3) not null default clock_now(),
  claim uuid,
  claimed_until timestamptz(3)
) with (fillfactor = 50);
