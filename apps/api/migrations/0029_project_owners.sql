-- Who manages a project besides System Admins: members by their id, and whoever holds a role of the main server.

create table project_owners (
  project_id uuid primary key references projects,
  role_ids text[] not null default '{}',
  member_ids text[] not null default '{}'
);
