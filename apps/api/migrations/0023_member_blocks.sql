-- Members who may not have a session: a block begins at once, everywhere, and ends by itself where it was given an end.

create table member_blocks (
  -- No foreign key: a block outlives the erasure of its member, or erasing would be a way out of it.
  member_id text collate "C" primary key,
  -- For administrators; null once the member was erased.
  reason text,
  since timestamptz(3) not null default clock_now(),
  -- From then on the block is over; null: until somebody ends it. Who ends it writes the present here.
  until timestamptz(3)
);

-- What was made before the end of a block is void for good: a login that was finishing while the block began must not
-- come back to life with its end. So no lock is needed between the two, and none can be forgotten.
create function is_void_by_block(member text, made_at timestamptz) returns boolean language sql stable as $$
  select exists (
    select from member_blocks b where b.member_id = member and (b.until is null or b.until >= made_at))
$$;

create or replace view live_sessions as
  select s.id, s.project_id, s.member_id, s.server_id, s.membership_generation, s.token_digest, s.refresh_digest,
    s.rotation, s.ip, s.user_agent, s.created_at, s.expires_at, s.max_expires_at, s.revoked_at, s.revoked_reason,
    u.username, u.global_name, u.avatar, u.email, u.preferred_name, u.is_club_member,
    u.created_at as member_created_at, u.updated_at as member_updated_at, m.nick, m.role_ids, m.synced_at,
    v.is_main, v.live_until, v.live_as_of
  from sessions s
  join memberships m on m.server_id = s.server_id and m.member_id = s.member_id
    and m.generation = s.membership_generation and m.left_at is null
  join members u on u.id = s.member_id
  join servers v on v.id = s.server_id and v.removed_at is null
  left join projects p on p.id = s.project_id
  where s.revoked_at is null and s.expires_at > clock_now()
    and not exists (
      select from member_blocks b
      where b.member_id = s.member_id and (b.until is null or b.until >= s.created_at))
    and (s.project_id is null or (
      p.deleted_at is null and p.deactivated_at is null and (
        exists (
          select from server_access a
          where a.project_id = s.project_id and a.server_id = s.server_id and a.can_read)
        or (p.is_internal and v.is_main))));

create function note_block() returns trigger language plpgsql as $$
begin
  insert into session_changes (kind, fact) values ('member', new.member_id);
  insert into session_changes (kind, fact)
  select 'membership', server_id || '/' || member_id from memberships where member_id = new.member_id;
  return null;
end $$;
comment on function note_block is 'Writes the member and their memberships to the change log.';

create trigger member_blocks_noted after insert or update on member_blocks
  for each row execute function note_block();
comment on trigger member_blocks_noted on member_blocks is
  'An instance that answers from memory must hear of a block before it is acknowledged, whatever ends sessions and whatever does not.';

-- Told to every project that knows the person: one that has a session of theirs on record, live or ended.
create function tell_block() returns trigger language plpgsql as $$
begin
  insert into outbox (project_id, type, data)
  select s.project_id, tg_argv[0], jsonb_build_object('memberId', new.member_id)
    || case when tg_argv[0] = 'member.blocked' then jsonb_build_object('until', iso(new.until)) else '{}' end
  from sessions s join projects p on p.id = s.project_id and p.deleted_at is null
  where s.member_id = new.member_id
  group by s.project_id;
  return null;
end $$;
comment on function tell_block is 'Writes the named event to the outbox, for each project that has a session of the member on record.';

create trigger member_blocks_begun after insert on member_blocks for each row
  when (new.until is null or new.until > clock_now())
  execute function tell_block('member.blocked');
comment on trigger member_blocks_begun on member_blocks is
  'No way of blocking a member may forget to tell the projects.';
create trigger member_blocks_changed after update on member_blocks for each row
  when (old.until is distinct from new.until and (new.until is null or new.until > clock_now()))
  execute function tell_block('member.blocked');
comment on trigger member_blocks_changed on member_blocks is
  'A block that is given another end, or begins again, is told like one that begins.';
create trigger member_blocks_ended after update on member_blocks for each row
  when (old.until is distinct from new.until and new.until <= clock_now())
  execute function tell_block('member.unblocked');
comment on trigger member_blocks_ended on member_blocks is
  'No way of ending a block may forget to tell the projects. One that ends by itself was told with its end.';
