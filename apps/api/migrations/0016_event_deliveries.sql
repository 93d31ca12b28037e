-- Holds the delivery of events to the webhook of each project.

create table event_endpoints (
  project_id uuid primary key references projects,
  url text,
  disabled_at timestamptz(3),
  secret_sealed bytea,
  former_secret_sealed bytea,
  former_secret_until timestamptz(3),
  failures integer not null default 0,
  failing_since timestamptz(3),
  is_slow boolean not null default false,
  next_attempt_at timestamptz(3) not null default clock_now(),
  claim uuid,
  claimed_until timestamptz(3)
) with (fillfactor = 50);
comment on table event_endpoints is
  'Holds the endpoint of each project that ever set an address or a secret. An instance claims the row to send the events of the project.';
comment on column event_endpoints.disabled_at is
  'When the service disabled the endpoint, because the receiver asked for it or failed for a day.';
comment on column event_endpoints.former_secret_sealed is 'The previous secret, which also signs until former_secret_until.';
comment on column event_endpoints.is_slow is
  'The last response took long. Slow receivers share few senders, so that they delay only each other.';
comment on column event_endpoints.claim is 'Identifies the sender that holds the row until claimed_until. A sender that finds another value has lost it.';

create table event_deliveries (
  event_id bigint primary key,
  xid xid8 not null,
  project_id uuid not null,
  member_id text collate "C",
  type text not null,
  data jsonb not null,
  created_at timestamptz not null,
  queued_at timestamptz(3) not null default clock_now(),
  next_attempt_at timestamptz(3) not null default clock_now(),
  attempts integer not null default 0,
  last_attempt_at timestamptz(3),
  last_status smallint,
  last_error text,
  delivered_at timestamptz(3),
  failed_at timestamptz(3)
);
comment on table event_deliveries is 'Events that are or were sent to the endpoint of their project.';
comment on column event_deliveries.event_id is 'The row of the outbox, which is deleted earlier than its copy here.';
comment on column event_deliveries.project_id is
  'The project, without a foreign key, which would lock its row with each event.';
comment on column event_deliveries.member_id is 'The member. Events of one member are sent in order.';
comment on column event_deliveries.queued_at is 'When the event was queued; sending it again by hand renews the time.';

create index event_deliveries_waiting on event_deliveries (project_id, xid, event_id)
  where delivered_at is null and failed_at is null;
create index event_deliveries_failed on event_deliveries (project_id, xid desc, event_id desc)
  where failed_at is not null;
create index event_deliveries_newest on event_deliveries (project_id, xid desc, event_id desc);
create index event_deliveries_age on event_deliveries (created_at);
create index event_deliveries_tried on event_deliveries (last_attempt_at) where last_attempt_at is not null;
comment on index event_deliveries_tried is 'Finds recent attempts for the live view of the console.';
create index event_deliveries_erased on event_deliveries (project_id, member_id)
where type = 'member.erased';
comment on index event_deliveries_erased is
  'Finds projects that were notified of an erasure, for a task that runs each minute: their deliveries that name the member are then deleted.';

create function queue_event() returns trigger language plpgsql as $$
begin
  insert into event_deliveries (event_id, xid, project_id, member_id, type, data, created_at)
  select new.id, new.xid, new.project_id, new.data ->> 'memberId', new.type, new.data, new.created_at
  from event_endpoints e
  where e.project_id = new.project_id and e.url is not null and e.disabled_at is null;
  return null;
end $$;
comment on function queue_event is 'Queues the event, if its project receives events by webhook.';

create trigger outbox_queued after insert on outbox for each row execute function queue_event();
comment on trigger outbox_queued on outbox is
  'Triggers on many tables write events, and each event is queued in the transaction of its change.';
