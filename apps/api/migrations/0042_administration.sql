-- What the console asks for: what was done to one thing, whose credentials were refused, whether the chain of the audit log verifies, and what was tried since a moment.

-- What happened to one project, webhook or member, newest first.
create index audit_log_target on audit_log (target_id, at desc, seq desc) where target_id is not null;

-- Who it was, where a refusal knows it: somebody with a good session who may not do what they ask.
alter table auth_failures add column member_id text collate "C";
create index auth_failures_member on auth_failures (member_id, at desc, id desc) where member_id is not null;

-- The steady check of the chain: one step after another, by whichever instance locks the row.
create table audit_verification (
  is_only boolean primary key default true check (is_only),
  -- All that the check remembers between two steps; null before its first.
  walk json,
  started_at timestamptz(3),
  -- When the end of the log was last reached with every entry as it was written.
  verified_at timestamptz(3),
  -- What is wrong, since when: nothing goes on before the check begins anew.
  problem text,
  problem_at timestamptz(3)
);

insert into audit_verification default values;

-- Which deliveries were tried since a moment, for whoever shows them live.
create index event_deliveries_tried on event_deliveries (last_attempt_at) where last_attempt_at is not null;
create index notifications_tried on notifications (last_attempt_at) where last_attempt_at is not null;
