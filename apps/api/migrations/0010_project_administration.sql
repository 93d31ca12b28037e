-- What the administration of projects needs: the shown part of a webhook address, the trail of access, the use of keys.

-- Scheme and host: what is shown of a sealed address.
alter table projects rename column webhook_url_host to webhook_url_origin;

-- Every change of what a project may do with a server, written with the change. Names are as they were then.
create table access_trail (
  -- Taken while the project is locked: of two changes of one mapping the later one has the higher number.
  seq bigint generated always as identity primary key,
  id uuid not null unique,
  at timestamptz(3) not null default clock_now(),
  action text not null check (action in ('GRANT', 'UPDATE', 'REVOKE')),
  project_id uuid not null references projects,
  project_name text not null,
  server_id text collate "C" not null,
  server_name text not null,
  actor_id text,
  actor_username text,
  before json,
  after json
);

create index access_trail_project on access_trail (project_id, seq desc);
create index access_trail_server on access_trail (server_id, seq desc);

create function refuse_trail_change() returns trigger language plpgsql as $$
begin
  raise exception 'The trail of access is append-only.' using errcode = 'insufficient_privilege';
end $$;

create trigger access_trail_append_only before update or delete or truncate on access_trail
  for each statement execute function refuse_trail_change();

-- api_keys.last_used_at follows the usage counts, which are written once a second: a request with a key costs no
-- write of its own. Browsers name a project without its key, at GET /api/auth/….
create function note_key_use() returns trigger language plpgsql as $$
begin
  update api_keys set last_used_at = clock_now()
  where id in (
    select k.id from api_keys k
    where k.project_id in (select project_id from counted where route not like 'GET /api/auth/%')
      and k.replaced_at is null and k.revoked_at is null
      and (k.last_used_at is null or k.last_used_at < clock_now() - interval '1 minute')
    -- Instances write at once: whoever finds a key taken leaves it to the other, and nobody deadlocks.
    for no key update skip locked);
  return null;
end $$;

create trigger usage_inserted after insert on usage_minutes referencing new table as counted
  for each statement execute function note_key_use();
create trigger usage_updated after update on usage_minutes referencing new table as counted
  for each statement execute function note_key_use();
