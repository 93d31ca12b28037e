-- The audit log. It is append-only, and the hash of each entry covers the previous entry. Personal values can be erased
-- and old entries deleted, and the chain can still be verified.

create table audit_log (
  seq bigint primary key,
  id uuid not null unique,
  at timestamptz(3) not null,
  actor_id text,
  actor_username text,
  ip text,
  actor_salt text,
  actor_commitment text,
  action_type text not null,
  action text not null,
  severity text not null,
  target_type text,
  target_id text,
  target_name text,
  changes json,
  target_salt text,
  target_commitment text,
  summary text,
  summary_salt text,
  summary_commitment text,
  request_id text,
  previous_hash text not null,
  hash text not null,
  erased_by bigint
);
comment on table audit_log is
  'A record of every change. An entry has three personal parts: the actor (actor_id, actor_username, ip), the target (target_id, target_name, changes), and the summary. The hash of the entry covers a commitment to each part, which is a hash of its values and a salt. After the salt was erased, a guessed value cannot be confirmed.';
comment on column audit_log.seq is 'The position in the chain.';
comment on column audit_log.changes is 'The changed fields as JSON text. The hash covers exactly these characters.';
comment on column audit_log.actor_commitment is
  'The commitment to the actor. Null in old entries, whose hash covers the values themselves.';
comment on column audit_log.target_commitment is 'The commitment to the target.';
comment on column audit_log.summary_commitment is 'The commitment to the summary.';
comment on column audit_log.previous_hash is 'The hash of the previous entry.';
comment on column audit_log.erased_by is 'The entry that records the erasure of values in this one.';

create index audit_log_at on audit_log (at desc, seq desc);
create index audit_log_actor on audit_log (actor_id, seq desc);
create index audit_log_target on audit_log (target_id, at desc, seq desc) where target_id is not null;

create table audit_head (
  is_only boolean primary key default true check (is_only),
  seq bigint not null,
  hash text not null
);
comment on table audit_head is
  'The end of the chain. Writers lock this row, so entries are appended one after another.';
insert into audit_head (seq, hash) values (0, repeat('0', 64));

create table audit_start (
  is_only boolean primary key default true check (is_only),
  seq bigint not null,
  hash text not null
);
comment on table audit_start is
  'The start of the chain. The entries up to seq were deleted, and the last of them had this hash.';
insert into audit_start (seq, hash) values (0, repeat('0', 64));

create table audit_verification (
  is_only boolean primary key default true check (is_only),
  walk json,
  started_at timestamptz(3),
  verified_at timestamptz(3),
  problem text,
  problem_at timestamptz(3)
);
comment on table audit_verification is
  'The state of the background verification. The instance that locks the row takes the next step.';
comment on column audit_verification.walk is 'What the next step must know. Null: before the first step.';
comment on column audit_verification.verified_at is 'When a run last reached the end of the chain without a problem.';
comment on column audit_verification.problem is
  'The first broken entry. The verification then stops until a new run begins.';
insert into audit_verification default values;

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  if (tg_op, coalesce(current_setting('rolecall.audit', true), ''))
    in (('UPDATE', 'erasure'), ('DELETE', 'retention')) then return null; end if;
  raise exception 'The audit log is append-only.' using errcode = 'insufficient_privilege';
end $$;
comment on function refuse_audit_change is
  'Rejects the statement, unless its transaction has declared that it erases personal values or deletes old entries.';

create trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_audit_change();
comment on trigger audit_log_append_only on audit_log is
  'Even the owner of the tables cannot change the log without removing the trigger first, and the chain of hashes would reveal the change.';

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
comment on function check_audit_erasure is
  'Rejects every change except the removal of whole personal parts with their salts.';

create trigger audit_log_erasure_only before update on audit_log
  for each row execute function check_audit_erasure();
comment on trigger audit_log_erasure_only on audit_log is
  'Erasing personal values is the only permitted change, and must not become a way to change anything else.';

create function check_audit_retention() returns trigger language plpgsql as $$
begin
  if old.seq <= (select seq from audit_start) then return old; end if;
  raise exception 'The audit log is append-only.' using errcode = 'insufficient_privilege';
end $$;
comment on function check_audit_retention is 'Rejects the deletion of an entry that belongs to the chain.';

create trigger audit_log_retention_only before delete on audit_log
  for each row execute function check_audit_retention();
comment on trigger audit_log_retention_only on audit_log is
  'Only entries before the start of the chain may be deleted, and an entry records every new start.';
