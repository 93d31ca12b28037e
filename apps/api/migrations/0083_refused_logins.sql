-- The server of a refused sign-in, so that the list of them leads to its explanation.
alter table auth_failures add column server_id text collate "C";
create index auth_failures_refused on auth_failures (at desc, id desc) where member_id is not null;
