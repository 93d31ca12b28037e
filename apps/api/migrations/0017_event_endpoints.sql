-- The webhook of each project that receives its events.

create table event_endpoints (
  project_id uuid primary key references projects,
  url text,
  disabled_at timestamptz(3),
  secret_sealed bytea,
  former_secret_sealed bytea,
  former_secret_until timestamptz(3)
);
comment on table event_endpoints is 'The endpoint of each project that has ever set an address or a secret.';
comment on column event_endpoints.disabled_at is
  'When the service disabled the endpoint, because the receiver asked for that or failed for a day.';
comment on column event_endpoints.former_secret_sealed is
  'The previous secret, encrypted. Until former_secret_until, events are signed with it, too.';

-- With `offset 0`, the plan looks up endpoints by key, which is good for one event and for thousands. The first call
-- decides about the plan for the whole connection.
create function queue_events() returns trigger language plpgsql as $$
begin
  insert into deliveries (kind, project_id, xid, place, member_id, type, data, created_at)
  select 'event', o.project_id, o.xid, o.id, o.data ->> 'memberId', o.type, o.data, o.created_at
  from added o cross join lateral (
    select from event_endpoints e where e.project_id = o.project_id and e.url is not null and e.disabled_at is null
    offset 0) e;
  return null;
end $$;
comment on function queue_events is 'Queues the events of projects that receive them by webhook.';

create trigger outbox_queued after insert on outbox referencing new table as added
  for each statement execute function queue_events();
comment on trigger outbox_queued on outbox is
  'Triggers on many tables write events. Each event is queued in the transaction of its change.';

create trigger event_endpoints_restarted after update on event_endpoints for each row
  when ((old.url, old.disabled_at) is distinct from (new.url, new.disabled_at))
  execute function restart_receiver('event', 'project_id');
comment on trigger event_endpoints_restarted on event_endpoints is
  'A new address is tried immediately, because the earlier failures belong to the old one.';
