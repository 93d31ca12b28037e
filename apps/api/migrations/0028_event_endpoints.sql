-- Events by webhook: where each project receives them, and every event that goes there with what became of it.

-- One row for each project that ever named an address or took a secret. Whoever claims it sends the project's events.
create table event_endpoints (
  project_id uuid primary key references projects,
  url text,
  -- Switched off by the service itself: the receiver said so, or failed for a day.
  disabled_at timestamptz(3),
  secret_sealed bytea,
  -- The secret before this one, which signs beside it for a while.
  former_secret_sealed bytea,
  former_secret_until timestamptz(3),
  failures integer not null default 0,
  failing_since timestamptz(3),
  -- Its last answer took long: such receivers wait for each other and for nobody else.
  is_slow boolean not null default false,
  next_attempt_at timestamptz(3) not null default clock_now(),
  claim uuid,
  claimed_until timestamptz(3)
) with (fillfactor = 50);

create table event_deliveries (
  -- The row of the outbox that it is a copy of: that one is gone after a day.
  event_id bigint primary key,
  xid xid8 not null,
  -- No foreign key: it would lock the project's row with each event.
  project_id uuid not null,
  -- Events of one member are sent in their order.
  member_id text collate "C",
  type text not null,
  data jsonb not null,
  created_at timestamptz not null,
  -- When it began to wait; sending it again begins anew.
  queued_at timestamptz(3) not null default clock_now(),
  next_attempt_at timestamptz(3) not null default clock_now(),
  attempts integer not null default 0,
  last_attempt_at timestamptz(3),
  last_status smallint,
  last_error text,
  delivered_at timestamptz(3),
  failed_at timestamptz(3)
);

create index event_deliveries_waiting on event_deliveries (project_id, xid, event_id)
  where delivered_at is null and failed_at is null;
create index event_deliveries_failed on event_deliveries (project_id, xid desc, event_id desc)
  where failed_at is not null;
create index event_deliveries_newest on event_deliveries (project_id, xid desc, event_id desc);
create index event_deliveries_age on event_deliveries (created_at);

create function queue_event() returns trigger language plpgsql as $$
begin
  insert into event_deliveries (event_id, xid, project_id, member_id, type, data, created_at)
  select new.id, new.xid, new.project_id, new.data ->> 'memberId', new.type, new.data, new.created_at
  from event_endpoints e
  where e.project_id = new.project_id and e.url is not null and e.disabled_at is null;
  return null;
end $$;
comment on function queue_event is 'Writes the delivery of an event, where its project receives events by webhook.';

create trigger outbox_queued after insert on outbox for each row execute function queue_event();
comment on trigger outbox_queued on outbox is
  'Events are written by triggers in many places; each is queued in the transaction that it tells of, or not at all.';
