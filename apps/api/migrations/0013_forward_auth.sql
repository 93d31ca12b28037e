-- The hosts that a reverse proxy protects with this service: the project of each host, and the roles that have access.

create table forward_auth (
  project_id uuid primary key references projects on delete cascade,
  server_id text collate "C",
  any_of text[] not null default '{}',
  remote_user text not null default 'username' check (remote_user in ('username', 'id'))
);
comment on table forward_auth is 'Projects that protect hosts behind a reverse proxy.';
comment on column forward_auth.server_id is 'The server that members sign in to. Null: the main server.';
comment on column forward_auth.any_of is
  'A visitor needs one of these roles. Empty: every member of the server has access.';
comment on column forward_auth.remote_user is 'What the header Remote-User contains.';

create table forward_auth_hosts (
  host text collate "C" primary key,
  project_id uuid not null references forward_auth on delete cascade,
  callbacks text[] not null,
  place int not null
);
comment on table forward_auth_hosts is 'The protected hosts of each project.';
comment on column forward_auth_hosts.callbacks is 'The redirect URIs that the project gets because of this host.';
comment on column forward_auth_hosts.place is 'The position in the list of the project.';

create index forward_auth_hosts_by_project on forward_auth_hosts (project_id, place);

create view project_callbacks as
  select id as project_id, unnest(redirect_uris) as uri from projects
  union all
  select project_id, unnest(callbacks) from forward_auth_hosts;
comment on view project_callbacks is
  'The redirect URIs of each project: the registered ones, and those of its protected hosts.';
