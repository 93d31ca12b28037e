-- The sessions of one project, newest first: without an index of its own each page would read all sessions of the project.
-- one by one

drop index if exists sessions_of_project;
-- next
create index concurrently sessions_of_project on sessions (project_id, created_at desc, id desc) where revoked_at is null;
