-- Holds the messages to the webhook addresses of projects, and one queue per project.

create table notifications (
  id uuid primary key,
  place bigint generated always as identity,
  project_id uuid not null,
  type text not null,
  text text not null,
  created_at timestamptz(3) not null default clock_now(),
  queued_at timestamptz(3) not null default clock_now(),
  attempts integer not null default 0,
  last_attempt_at timestamptz(3),
  last_status smallint,
  last_error text,
  delivered_at timestamptz(3),
  failed_at timestamptz(3)
);
comment on table notifications is
  'Messages and their delivery. Each is written in the transaction of the change that it reports.';
comment on column notifications.place is
  'The order within a project. A transaction that saw another one committed has the later place.';
comment on column notifications.project_id is
  'The project, without a foreign key, which would lock its row with each submission.';
comment on column notifications.queued_at is 'When the message was queued; sending it again by hand renews the time.';

create index notifications_waiting on notifications (project_id, place)
  where delivered_at is null and failed_at is null;
create index notifications_failed on notifications (project_id, created_at desc, id desc)
  where failed_at is not null;
create index notifications_newest on notifications (project_id, created_at desc, id desc);
create index notifications_age on notifications (created_at);
create index notifications_tried on notifications (last_attempt_at) where last_attempt_at is not null;
comment on index notifications_tried is 'Finds recent attempts for the live view of the console.';

create table notification_queues (
  project_id uuid primary key,
  address bytea,
  failures integer not null default 0,
  failing_since timestamptz(3),
  next_attempt_at timestamptz(3) not null default clock_now(),
  claim uuid,
  claimed_until timestamptz(3)
) with (fillfactor = 50);
comment on table notification_queues is
  'Holds the queue of each project that ever had a message. An instance claims the row to send the messages in order.';
comment on column notification_queues.address is
  'The digest of the sealed address that the failures belong to: a new address starts without failures.';
comment on column notification_queues.claim is 'Identifies the sender that holds the row until claimed_until. A sender that finds another value has lost it.';
