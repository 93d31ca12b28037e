-- The data of the monitoring pages: instances, numbers of requests, and rejected credentials.

create table instances (
  id uuid primary key,
  version text not null,
  started_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  leads_gateway boolean not null
);
comment on table instances is 'Running instances, by their last heartbeat.';

create table usage_minutes (
  minute timestamptz(0) not null,
  project_id uuid not null,
  route text not null,
  status smallint not null,
  count bigint not null,
  took integer[],
  primary key (minute, project_id, route, status)
);
comment on table usage_minutes is 'The number of requests per minute.';
comment on column usage_minutes.project_id is
  'The project. The nil UUID stands for requests without a project, because a primary key cannot contain null.';
comment on column usage_minutes.took is
  'A histogram of the response times: for each bound, the number of responses between the previous bound and this one. Null: not measured.';

create table auth_failures (
  id uuid primary key,
  at timestamptz(3) not null,
  kind text not null,
  reason text not null,
  address text,
  path text not null,
  project_id uuid,
  key_prefix text,
  server_id text collate "C",
  member_id text collate "C",
  request_id text
);
comment on table auth_failures is 'Requests that were rejected because of their credentials, and refused sign-ins.';
comment on column auth_failures.server_id is 'The server of a refused sign-in.';
comment on column auth_failures.member_id is
  'The member, if known: the session or the sign-in was valid, but did not permit the request.';

create index auth_failures_at on auth_failures (at desc, id desc);
create index auth_failures_member on auth_failures (member_id, at desc, id desc) where member_id is not null;
create index auth_failures_logins on auth_failures (at desc, id desc) where server_id is not null;
create index auth_failures_logins_of_project on auth_failures (project_id, at desc, id desc) where server_id is not null;
