-- One queue for everything that the service sends to an address of a project: events, notices, and logout tokens.

create sequence delivery_places;

-- Every message with its state. Delivered and failed ones stay as the log that administrators read.
create table deliveries (
  id uuid primary key default gen_random_uuid(),
  -- event, notice, or logout.
  kind text collate "C" not null,
  -- Without a foreign key, which would lock the project's row with every event and submission.
  project_id uuid not null,
  -- Messages of a receiver are ordered by (xid, place). An event takes both from its outbox row, which is deleted after a day.
  -- The other kinds have no transaction (0), so that none of them waits for one.
  xid xid8 not null default '0',
  place bigint not null default nextval('delivery_places'),
  -- The member that an event or a logout is about.
  member_id text collate "C",
  type text not null,
  data jsonb not null,
  created_at timestamptz(3) not null default clock_now(),
  -- Start of the 24 hours for which it is tried. A resend starts them again.
  queued_at timestamptz(3) not null default clock_now(),
  next_attempt_at timestamptz(3) not null default clock_now(),
  attempts integer not null default 0,
  last_attempt_at timestamptz(3),
  last_status smallint,
  last_error text,
  delivered_at timestamptz(3),
  failed_at timestamptz(3),
  -- It is about a member who was erased, so it is deleted once it is over.
  is_erased boolean not null default false
);
alter sequence delivery_places owned by deliveries.place;

create index deliveries_waiting on deliveries (kind, project_id, xid, place)
  where delivered_at is null and failed_at is null;
create index deliveries_due on deliveries (kind, project_id, next_attempt_at)
  where delivered_at is null and failed_at is null;
create index deliveries_failed on deliveries (kind, project_id, xid desc, created_at desc, place desc)
  where failed_at is not null;
create index deliveries_newest on deliveries (kind, project_id, xid desc, created_at desc, place desc);
create index deliveries_age on deliveries (kind, created_at);
create index deliveries_tried on deliveries (last_attempt_at) where last_attempt_at is not null;
create index deliveries_erased on deliveries (id) where is_erased;

-- One row for each address that messages were sent to. The instance that claims the row sends its messages.
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

drop trigger outbox_queued on outbox;
create or replace function queue_event() returns trigger language plpgsql as $$
begin
  insert into deliveries (kind, project_id, xid, place, member_id, type, data, created_at)
  select 'event', new.project_id, new.xid, new.id, new.data ->> 'memberId', new.type, new.data, new.created_at
  from event_endpoints e
  where e.project_id = new.project_id and e.url is not null and e.disabled_at is null;
  return null;
end $$;
create trigger outbox_queued after insert on outbox for each row execute function queue_event();
comment on trigger outbox_queued on outbox is
  'Events are written by triggers in many places; each is queued in the transaction that it tells of, or not at all.';

create or replace function tell_client_session_end() returns trigger language plpgsql as $$
begin
  insert into deliveries (kind, project_id, member_id, type, data)
  select 'logout', new.project_id, new.member_id, 'logout',
    jsonb_build_object('sessionId', new.id, 'uri', c.backchannel_logout_uri)
  from oidc_sessions o join oidc_clients c on c.project_id = o.project_id
  where o.session_id = new.id and c.enabled and c.backchannel_logout_uri is not null;
  return null;
end $$;

create or replace function tell_client_end() returns trigger language plpgsql as $$
begin
  insert into deliveries (kind, project_id, member_id, type, data)
  select 'logout', s.project_id, s.member_id, 'logout',
    jsonb_build_object('sessionId', s.id, 'uri', c.backchannel_logout_uri)
  from oidc_clients c join oidc_sessions o on o.project_id = c.project_id
  join sessions s on s.id = o.session_id and s.revoked_at is null and s.expires_at > clock_now()
  where c.project_id = new.id and c.enabled and c.backchannel_logout_uri is not null;
  return null;
end $$;

create or replace function tell_client_off() returns trigger language plpgsql as $$
begin
  insert into deliveries (kind, project_id, member_id, type, data)
  select 'logout', s.project_id, s.member_id, 'logout',
    jsonb_build_object('sessionId', s.id, 'uri', old.backchannel_logout_uri)
  from oidc_sessions o join sessions s on s.id = o.session_id and s.revoked_at is null and s.expires_at > clock_now()
  where o.project_id = old.project_id;
  return null;
end $$;

create or replace function tell_unreadable_sessions_end(of_project uuid, in_server text) returns void language sql as $$
  insert into deliveries (kind, project_id, member_id, type, data)
  select 'logout', s.project_id, s.member_id, 'logout',
    jsonb_build_object('sessionId', s.id, 'uri', c.backchannel_logout_uri)
  from oidc_clients c join oidc_sessions o on o.project_id = c.project_id
  join sessions s on s.id = o.session_id and s.revoked_at is null and s.expires_at > clock_now()
  where c.enabled and c.backchannel_logout_uri is not null
    and (of_project is null or c.project_id = of_project) and (in_server is null or s.server_id = in_server)
    and not exists (
      select from readable_servers r where r.project_id = s.project_id and r.server_id = s.server_id)
$$;

create or replace function move_waiting_logouts() returns trigger language plpgsql as $$
begin
  if new.backchannel_logout_uri is null then
    update deliveries set failed_at = clock_now(), last_error = 'The client has no logout address any more.'
    where kind = 'logout' and project_id = new.project_id and delivered_at is null and failed_at is null;
  else
    update deliveries set data = data || jsonb_build_object('uri', new.backchannel_logout_uri)
    where kind = 'logout' and project_id = new.project_id and delivered_at is null and failed_at is null;
  end if;
  return null;
end $$;

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

create trigger event_endpoints_restarted after update on event_endpoints for each row
  when ((old.url, old.disabled_at) is distinct from (new.url, new.disabled_at))
  execute function restart_receiver('event', 'project_id');
comment on trigger event_endpoints_restarted on event_endpoints is
  'A new address is tried at once: the failures before it belong to another one.';
create trigger projects_webhook_restarted after update on projects for each row
  when (old.webhook_url_sealed is distinct from new.webhook_url_sealed)
  execute function restart_receiver('notice', 'id');
comment on trigger projects_webhook_restarted on projects is
  'A new address is tried at once: the failures before it belong to another one.';
create trigger oidc_clients_restarted after update on oidc_clients for each row
  when (old.backchannel_logout_uri is distinct from new.backchannel_logout_uri)
  execute function restart_receiver('logout', 'project_id');
comment on trigger oidc_clients_restarted on oidc_clients is
  'A new address is tried at once: the failures before it belong to another one.';

alter table event_endpoints drop column failures, drop column failing_since, drop column is_slow,
  drop column next_attempt_at, drop column claim, drop column claimed_until;
drop table event_deliveries, notifications, notification_queues, oidc_logouts;
