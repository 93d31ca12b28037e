-- Personal values in the audit log can be erased, and old entries let go, while the chain stays verifiable.

-- An entry holds what is personal in three parts: who did it (actor_id, actor_username, ip), what it was done to (target_id,
-- target_name, changes) and the sentence (summary). Of each the chain covers a commitment, which is a hash of the values and
-- a salt; without the salt nobody can tell whether a guessed value was the one. Entries from before have none: their
-- hash covers the values themselves.
alter table audit_log
  alter column summary drop not null,
  add column actor_salt text,
  add column actor_commitment text,
  add column target_salt text,
  add column target_commitment text,
  add column summary_salt text,
  add column summary_commitment text,
  -- The entry that tells of the erasure: no value goes without one.
  add column erased_by bigint;

-- What was let go: entries up to `seq`, the last of which had this hash. The log begins after it.
create table audit_start (
  is_only boolean primary key default true check (is_only),
  seq bigint not null,
  hash text not null
);

insert into audit_start (seq, hash) values (0, repeat('0', 64));

-- Both tables are changed in one way each, by a transaction that says which it is about, and in no other.
create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if (tg_op, coalesce(current_setting('rolecall.audit', true), ''))
    in (('UPDATE', 'erasure'), ('DELETE', 'retention')) then return null; end if;
  raise exception 'The audit log is append-only.' using errcode = 'insufficient_privilege';
end $$;
comment on function refuse_audit_change is 'Refuses the statement, unless its transaction has said that it erases personal values or lets old entries go.';

create function check_audit_erasure() returns trigger language plpgsql as $$
begin
  if new.erased_by is not null
    and (new.seq, new.id, new.at, new.action_type, new.action, new.severity, new.target_type, new.request_id,
      new.previous_hash, new.hash, new.actor_commitment, new.target_commitment, new.summary_commitment)
    is not distinct from (old.seq, old.id, old.at, old.action_type, old.action, old.severity, old.target_type,
      old.request_id, old.previous_hash, old.hash, old.actor_commitment, old.target_commitment, old.summary_commitment)
    and ((new.actor_id, new.actor_username, new.ip, new.actor_salt)
        is not distinct from (old.actor_id, old.actor_username, old.ip, old.actor_salt)
      or num_nonnulls(new.actor_id, new.actor_username, new.ip, new.actor_salt) = 0)
    and ((new.target_id, new.target_name, new.changes::text, new.target_salt)
        is not distinct from (old.target_id, old.target_name, old.changes::text, old.target_salt)
      or num_nonnulls(new.target_id, new.target_name, new.changes, new.target_salt) = 0)
    and ((new.summary, new.summary_salt) is not distinct from (old.summary, old.summary_salt)
      or num_nonnulls(new.summary, new.summary_salt) = 0) then return new; end if;
  raise exception 'The audit log is append-only.' using errcode = 'insufficient_privilege';
end $$;
comment on function check_audit_erasure is 'Refuses every change of an entry but one that takes whole parts of personal values away, with their salt.';

create trigger audit_log_erasure_only before update on audit_log
  for each row execute function check_audit_erasure();
comment on trigger audit_log_erasure_only on audit_log is
  'Erasing is the one way in which an entry may change, and it must not be a way to change anything else.';

create function check_audit_retention() returns trigger language plpgsql as $$
begin
  if old.seq <= (select seq from audit_start) then return old; end if;
  raise exception 'The audit log is append-only.' using errcode = 'insufficient_privilege';
end $$;
comment on function check_audit_retention is 'Refuses to delete an entry that the log has not let go.';

create trigger audit_log_retention_only before delete on audit_log
  for each row execute function check_audit_retention();
comment on trigger audit_log_retention_only on audit_log is
  'Only what lies before the beginning of the log is deleted, and an entry tells of every new beginning.';

-- The trail of access is erased in the same way: the name of who did it goes, what was done stays.
create or replace function refuse_trail_change() returns trigger language plpgsql as $$
begin
  if (tg_op, coalesce(current_setting('rolecall.audit', true), '')) = ('UPDATE', 'erasure') then return null; end if;
  raise exception 'The access trail is append-only.' using errcode = 'insufficient_privilege';
end $$;
comment on function refuse_trail_change is 'Refuses the statement, unless its transaction has said that it erases personal values.';

create function check_trail_erasure() returns trigger language plpgsql as $$
begin
  if num_nonnulls(new.actor_id, new.actor_username) = 0
    and (new.id, new.seq, new.at, new.action, new.project_id, new.project_name, new.server_id, new.server_name,
      new.before::text, new.after::text)
    is not distinct from (old.id, old.seq, old.at, old.action, old.project_id, old.project_name, old.server_id,
      old.server_name, old.before::text, old.after::text) then return new; end if;
  raise exception 'The access trail is append-only.' using errcode = 'insufficient_privilege';
end $$;
comment on function check_trail_erasure is 'Refuses every change of the trail but one that takes away who did it.';

create trigger access_trail_erasure_only before update on access_trail
  for each row execute function check_trail_erasure();
comment on trigger access_trail_erasure_only on access_trail is
  'As audit_log_erasure_only.';
