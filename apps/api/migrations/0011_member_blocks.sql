-- Blocks, which prevent members from having sessions. A block takes effect immediately, on every instance.

create table member_blocks (
  member_id text collate "C" primary key,
  reason text,
  since timestamptz(3) not null default clock_now(),
  until timestamptz(3)
);
comment on table member_blocks is 'The latest block of each member, active or ended.';
comment on column member_blocks.member_id is
  'The member. There is no foreign key, because the block must remain if the member is erased.';
comment on column member_blocks.reason is 'The reason, for administrators. Null if the member was erased.';
comment on column member_blocks.until is
  'When the block ends. Null: it lasts until an administrator ends it, which sets this column.';

-- In PL/pgSQL, the query is planned once per connection. A function in SQL would be planned with every call.
create function is_void_by_block(member text, made_at timestamptz) returns boolean language plpgsql stable as $$
begin
  return exists (
    select from member_blocks b where b.member_id = member and (b.until is null or b.until >= made_at));
end $$;
comment on function is_void_by_block is
  'Returns true if something that was created at this time is void because of a block. Everything from before the end of a block remains void. So a sign-in that was about to finish when the block began needs no lock.';
