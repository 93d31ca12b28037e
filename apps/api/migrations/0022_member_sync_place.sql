-- A sync whose process is gone goes on in another one, where it was.

alter table member_syncs
  -- Whoever works on it now. One that was thought gone and comes back finds that it is not theirs any more.
  add column runner uuid,
  -- The last member that was read; null when all were, and only those whom the list lacked are asked about.
  add column after_id text collate "C" default '0',
  add column suspects text[] not null default '{}',
  -- Who asked for it, for the audit entry at its end.
  add column started_by jsonb not null default '{}';
