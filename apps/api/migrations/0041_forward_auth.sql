-- Hosts that reverse proxies ask about: whose they are, and who may see them.

create table forward_auth (
  project_id uuid primary key references projects on delete cascade,
  -- Null: the main server.
  server_id text collate "C",
  -- One of these roles is needed; empty: any member.
  any_of text[] not null default '{}',
  -- What Remote-User holds.
  remote_user text not null default 'username' check (remote_user in ('username', 'id'))
);

create table forward_auth_hosts (
  host text collate "C" primary key,
  project_id uuid not null references forward_auth on delete cascade,
  -- Where a login of this host ends: the redirect URIs that its project has by it.
  callbacks text[] not null,
  place int not null
);
create index forward_auth_hosts_by_project on forward_auth_hosts (project_id, place);

-- Where a login of a project may end: what it registered, and what its protected hosts imply.
create view project_callbacks as
  select id as project_id, unnest(redirect_uris) as uri from projects
  union all
  select project_id, unnest(callbacks) from forward_auth_hosts;

create function note_forward_auth() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) values ('project', new.project_id::text);
  return null;
end $$;
comment on function note_forward_auth is 'Writes the project to the change log.';

create trigger forward_auth_changed after insert or update on forward_auth
  for each row execute function note_forward_auth();
comment on trigger forward_auth_changed on forward_auth is
  'An instance that lets requests through from memory must hear of another rule before it is acknowledged. Its hosts are changed in the same transaction.';
