-- Several keys of one project at once: a replaced key may go on for a while, a key may end by time, and uses are counted by key.

alter table api_keys
  -- What the key is for, in the words of whoever made it.
  add column note text,
  -- From then on the key is none: the end that it was given, or that of the time a replaced one goes on for.
  add column expires_at timestamptz(3),
  -- The key that took its place; revoking that one ends this one, too. Null of a key that was added beside another.
  add column successor_id uuid references api_keys deferrable initially deferred,
  add column uses bigint not null default 0,
  -- Uses until it was replaced: what came after is told apart.
  add column uses_before bigint not null default 0,
  add column ending_told_at timestamptz(3);

create index api_keys_by_project on api_keys (project_id, created_at desc, id desc);
create index api_keys_ending on api_keys (expires_at) where revoked_at is null and expires_at is not null;

-- The keys that count: whoever asks whether a key is good asks here. A replaced key without a time that it goes on for is
-- revoked in the same statement, also by versions before this one.
create view working_keys as
  select id, project_id, digest, prefix, expires_at from api_keys
  where revoked_at is null and (expires_at is null or expires_at > clock_now());

create or replace trigger api_keys_changed after update on api_keys for each row
  when ((old.digest, old.project_id, old.revoked_at, old.replaced_at, old.expires_at)
    is distinct from (new.digest, new.project_id, new.revoked_at, new.replaced_at, new.expires_at))
  execute function note_key_change();
comment on trigger api_keys_changed on api_keys is
  'A key that is revoked, restored, replaced or given another end counts at once on every instance; the time of its last use does not matter.';

-- A project that has another key goes on: only streams that were opened with this one end.
create or replace function tell_key_end() returns trigger language plpgsql as $$
declare
  has_another boolean := exists (
    select from working_keys w where w.project_id = new.project_id and w.id <> new.id);
begin
  if has_another or new.expires_at <= new.revoked_at then
    insert into outbox (project_id, type, data)
    values (new.project_id, 'key.ended', jsonb_build_object('prefix', new.prefix,
      'reason', case when new.expires_at <= new.revoked_at then 'expired'
        when new.replaced_at is null then 'revoked' else 'regenerated' end));
  end if;
  if not has_another then
    insert into outbox (project_id, type, data)
    values (new.project_id, 'project.disabled', jsonb_build_object('projectId', new.project_id,
      'reason', case when new.replaced_at is null then 'key_revoked' else 'key_regenerated' end));
  end if;
  return null;
end $$;
comment on function tell_key_end is 'Writes the event key.ended to the outbox, and project.disabled where the project has no other key.';

create function tell_key_ending() returns trigger language plpgsql as $$
begin
  insert into outbox (project_id, type, data)
  values (new.project_id, 'key.ending', jsonb_build_object('prefix', new.prefix, 'endsAt', iso(new.expires_at)));
  return null;
end $$;
comment on function tell_key_ending is 'Writes the event key.ending to the outbox.';

create trigger api_keys_ending_told after update on api_keys for each row
  when (old.ending_told_at is null and new.ending_told_at is not null)
  execute function tell_key_ending();
comment on trigger api_keys_ending_told on api_keys is
  'Whoever marks a key as told of has told of it, in the same commit.';
