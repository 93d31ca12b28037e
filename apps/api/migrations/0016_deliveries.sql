-- Everything that is sent to an address of a project: events, notices, and logout tokens.

create sequence delivery_places;

create table deliveries (
  id uuid primary key default gen_random_uuid(),
  kind text collate "C" not null,
  project_id uuid not null,
  xid xid8 not null default '0',
  place bigint not null default nextval('delivery_places'),
  member_id text collate "C",
  type text not null,
  data jsonb not null,
  created_at timestamptz(3) not null default clock_now(),
  queued_at timestamptz(3) not null default clock_now(),
  next_attempt_at timestamptz(3) not null default clock_now(),
  attempts integer not null default 0,
  last_attempt_at timestamptz(3),
  last_status smallint,
  last_error text,
  delivered_at timestamptz(3),
  failed_at timestamptz(3),
  is_erased boolean not null default false
);
comment on table deliveries is
  'The messages to projects, and whether they were delivered. Each is written in the transaction of the change that it reports. Those that were delivered or given up are the log for administrators.';
comment on column deliveries.kind is 'event, notice, or logout.';
comment on column deliveries.project_id is
  'The project. There is no foreign key, because it would lock the project with every event and submission.';
comment on column deliveries.xid is
  'The transaction of an event. With `place`, it gives the order of a receiver''s events. For the other kinds, it is 0, so that they wait for no transaction.';
comment on column deliveries.place is
  'The ID of the event in the outbox, where it is deleted earlier than here. For the other kinds: a later number if the transaction has seen the other one committed.';
comment on column deliveries.member_id is
  'The member that an event or a logout is about. The events about a member are sent in order.';
comment on column deliveries.data is
  'The content. A logout token is signed only when it is sent, so this contains its claims and its address.';
comment on column deliveries.queued_at is
  'The beginning of the 24 hours in which delivery is attempted. It is set again if an administrator sends the message again.';
comment on column deliveries.is_erased is
  'True if the member was erased. The row is deleted once it was delivered or given up.';

create index deliveries_waiting on deliveries (kind, project_id, xid, place)
  where delivered_at is null and failed_at is null;
create index deliveries_due on deliveries (kind, project_id, next_attempt_at)
  where delivered_at is null and failed_at is null;
create index deliveries_failed on deliveries (kind, project_id, xid desc, created_at desc, place desc)
  where failed_at is not null;
create index deliveries_newest on deliveries (kind, project_id, xid desc, created_at desc, place desc);
create index deliveries_age on deliveries (kind, created_at);
create index deliveries_tried on deliveries (last_attempt_at) where last_attempt_at is not null;
comment on index deliveries_tried is 'Finds recent attempts for the live view of the console.';
create index deliveries_erased on deliveries (id) where is_erased;
comment on index deliveries_erased is 'Finds the messages about erased members, for a task that runs every minute.';

create table receivers (
  kind text collate "C" not null,
  project_id uuid not null,
  failures integer not null default 0,
  failing_since timestamptz(3),
  is_slow boolean not null default false,
  next_attempt_at timestamptz(3) not null default clock_now(),
  claim uuid,
  claimed_until timestamptz(3),
  primary key (kind, project_id)
) with (fillfactor = 50);
comment on table receivers is
  'The state of each address that messages were sent to. An instance claims the row before it sends messages to the address.';
comment on column receivers.is_slow is
  'True if the last response took long. Slow receivers have places of their own, so that they delay only each other.';
comment on column receivers.claim is
  'The claim of the instance that sends to this address until claimed_until. An instance that finds another value has lost its claim.';

-- The arguments are the kind of the receiver, and the column that contains the ID of the project.
create function restart_receiver() returns trigger language plpgsql as $$
declare
  project uuid := to_jsonb(new) ->> tg_argv[1];
begin
  update receivers set failures = 0, failing_since = null, is_slow = false, next_attempt_at = clock_now(),
    claim = null, claimed_until = null
  where kind = tg_argv[0] and project_id = project;
  update deliveries set next_attempt_at = clock_now()
  where kind = tg_argv[0] and project_id = project and delivered_at is null and failed_at is null
    and next_attempt_at > clock_now();
  return null;
end $$;
comment on function restart_receiver is
  'Ends the pauses of a receiver and its messages. Also ends the claim of an instance that still sends to the old address.';

create trigger projects_webhook_restarted after update on projects for each row
  when (old.webhook_url_sealed is distinct from new.webhook_url_sealed)
  execute function restart_receiver('notice', 'id');
comment on trigger projects_webhook_restarted on projects is
  'A new address is tried immediately, because the earlier failures belong to the old one.';

create function release_receivers() returns trigger language plpgsql as $$
begin
  -- Locks the rows in the same order as claims do, so that the two cannot deadlock.
  perform from receivers where project_id = new.id order by kind for update;
  update receivers set claim = null, claimed_until = null where project_id = new.id;
  return null;
end $$;
comment on function release_receivers is 'Ends the claims on all receivers of a project.';

create trigger projects_deleted_released after update on projects for each row
  when (old.deleted_at is null and new.deleted_at is not null)
  execute function release_receivers();
comment on trigger projects_deleted_released on projects is
  'An instance that sends to a deleted project notices that with its next message.';
