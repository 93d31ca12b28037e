-- The audit log: append-only, each entry bound to the one before it by its hash.

create table audit_log (
  seq bigint primary key,
  id uuid not null unique,
  at timestamptz(3) not null,
  actor_id text,
  actor_username text,
  action_type text not null,
  action text not null,
  severity text not null,
  target_type text,
  target_id text,
  target_name text,
  summary text not null,
  -- As text: the hash is over exactly these characters.
  changes json,
  ip text,
  request_id text,
  previous_hash text not null,
  hash text not null
);

create index audit_log_at on audit_log (at desc, seq desc);
create index audit_log_actor on audit_log (actor_id, seq desc);

-- The end of the chain. Locking this one row puts all writers in order.
create table audit_head (
  is_only boolean primary key default true check (is_only),
  seq bigint not null,
  hash text not null
);

insert into audit_head (seq, hash) values (0, repeat('0', 64));

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'The audit log is append-only.' using errcode = 'insufficient_privilege';
end $$;
comment on function refuse_audit_change is 'Refuses the statement.';

create trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_audit_change();
comment on trigger audit_log_append_only on audit_log is
  'Also the owner of the tables cannot rewrite the log without taking the trigger away first; the chain of hashes tells of whoever did.';
