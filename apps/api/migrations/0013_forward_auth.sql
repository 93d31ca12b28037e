-- Holds the hosts that reverse proxies ask about: their project, and the roles that may see them.

create table forward_auth (
  project_id uuid primary key references projects on delete cascade,
  server_id text collate "C",
  any_of text[] not null default '{}',
  remote_user text not null default 'username' check (remote_user in ('username', 'id'))
);
comment on table forward_auth is 'Projects that protect hosts behind a reverse proxy.';
comment on column forward_auth.server_id is 'The server that members sign in to. Null: the main server.';
comment on column forward_auth.any_of is 'A member needs one of these roles. Empty: every member of the server has access.';
comment on column forward_auth.remote_user is 'The content of the header Remote-User.';

create table forward_auth_hosts (
  host text collate "C" primary key,
  project_id uuid not null references forward_auth on delete cascade,
  callbacks text[] not null,
  place int not null
);
comment on table forward_auth_hosts is 'Protected hosts of each project.';
comment on column forward_auth_hosts.callbacks is 'The redirect URIs that the host adds to its project.';
comment on column forward_auth_hosts.place is 'The position in the list of the project.';

create index forward_auth_hosts_by_project on forward_auth_hosts (project_id, place);

create view project_callbacks as
  select id as project_id, unnest(redirect_uris) as uri from projects
  union all
  select project_id, unnest(callbacks) from forward_auth_hosts;
comment on view project_callbacks is
  'The URIs that a sign-in of a project may redirect to: registered ones, and those of its protected hosts.';
