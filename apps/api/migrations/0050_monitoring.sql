-- What an operator wants to see: which instances run, and which members come back.

create table instances (
  id uuid primary key,
  version text not null,
  started_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  leads_gateway boolean not null
);

-- When a member last logged in or refreshed a session. Sessions themselves are deleted a week after their end,
-- which is sooner than "active" may reach back.
create table member_activity (
  member_id text collate "C" primary key references members on delete cascade,
  seen_at timestamptz(3) not null
);

create function note_member_activity() returns trigger language plpgsql as $$
begin
  insert into member_activity as a (member_id, seen_at) values (new.member_id, clock_now())
  on conflict (member_id) do update set seen_at = excluded.seen_at
  -- Days are asked for: what is minutes newer is not worth a write.
  where a.seen_at < excluded.seen_at - interval '10 minutes';
  return null;
end $$;

create trigger sessions_begun after insert on sessions
  for each row execute function note_member_activity();
create trigger sessions_refreshed after update of token_digest on sessions
  for each row when (old.token_digest is distinct from new.token_digest)
  execute function note_member_activity();

insert into member_activity (member_id, seen_at)
select member_id, max(created_at) from sessions group by member_id;
