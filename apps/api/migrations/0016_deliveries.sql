-- Holds everything that is sent to an address of a project: events, notices, and logout tokens.

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
  'Messages and their delivery. Each is written in the transaction of the change that it reports. Those that are over are the log that administrators read.';
comment on column deliveries.kind is 'event, notice, or logout.';
comment on column deliveries.project_id is
  'The project, without a foreign key, which would lock its row with each event and submission.';
comment on column deliveries.xid is
  'The transaction of an event. With place, the order of a receiver''s messages. The other kinds have 0, so that none waits for a transaction.';
comment on column deliveries.place is
  'The row of the outbox, which is deleted earlier than its copy here. For other kinds, a transaction that saw another one committed has the later place.';
comment on column deliveries.member_id is 'The member that an event or a logout is about. Events of one member are sent in order.';
comment on column deliveries.data is 'The content. A logout token is signed when it is sent, so this holds its claims and address.';
comment on column deliveries.queued_at is 'Start of the 24 hours of attempts; sending it again by hand renews the time.';
comment on column deliveries.is_erased is 'The member was erased, so the row is deleted once it is over.';

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
comment on index deliveries_erased is 'Finds messages about erased members, for a task that runs each minute.';

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
  'Holds the state of each address that messages were sent to. An instance claims the row to send the messages.';
comment on column receivers.is_slow is
  'The last response took long. Slow receivers have senders of their own, so that they delay only each other.';
comment on column receivers.claim is 'Identifies the sender that holds the row until claimed_until. A sender that finds another value has lost it.';

-- Takes the kind of the receiver, and the column that holds the project.
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
  'Ends the pauses of a receiver and of its messages, and the claim of an instance that still sends to the former address.';

create trigger projects_webhook_restarted after update on projects for each row
  when (old.webhook_url_sealed is distinct from new.webhook_url_sealed)
  execute function restart_receiver('notice', 'id');
comment on trigger projects_webhook_restarted on projects is
  'A new address is tried at once: the failures before it belong to another one.';

create function release_receivers() returns trigger language plpgsql as $$
begin
  -- In the order of claims, so that neither waits for the other.
  perform from receivers where project_id = new.id order by kind for update;
  update receivers set claim = null, claimed_until = null where project_id = new.id;
  return null;
end $$;
comment on function release_receivers is 'Ends the claims on all receivers of a project.';

create trigger projects_deleted_released after update on projects for each row
  when (old.deleted_at is null and new.deleted_at is not null)
  execute function release_receivers();
comment on trigger projects_deleted_released on projects is
  'An instance that sends to a deleted project notices with its next message.';
