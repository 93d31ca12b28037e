-- What happened to a project's sessions, members and settings, in the transaction in which it happened
-- (decisions.md §7). Read by the event streams; kept for a day.
create table outbox (
  id bigint generated always as identity primary key,
  -- Ids are taken before commit, so a later id may be seen first. Whoever reads in order reads by (xid, id)
  -- up to the oldest transaction that is still under way: pg_snapshot_xmin(pg_current_snapshot()).
  xid xid8 not null default pg_current_xact_id(),
  project_id uuid not null references projects (id),
  type text not null,
  data jsonb not null,
  created_at timestamptz not null default clock_now()
);
create index outbox_by_project on outbox (project_id, xid, id);
create index outbox_by_order on outbox (xid, id);
