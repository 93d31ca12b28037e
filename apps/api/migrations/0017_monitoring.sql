-- What an operator wants to see: which instances run, what was asked how often, and who was turned away.

create table instances (
  id uuid primary key,
  version text not null,
  started_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  leads_gateway boolean not null
);

create table usage_minutes (
  minute timestamptz(0) not null,
  -- The nil UUID stands for requests of no project: a primary key takes no nulls.
  project_id uuid not null,
  route text not null,
  status smallint not null,
  count bigint not null,
  primary key (minute, project_id, route, status)
);

create table auth_failures (
  id uuid primary key,
  at timestamptz(3) not null,
  kind text not null,
  reason text not null,
  address text,
  path text not null,
  project_id uuid,
  key_prefix text,
  request_id text
);

create index auth_failures_at on auth_failures (at desc, id desc);
