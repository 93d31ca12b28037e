-- Holds blocks, which keep members from having sessions. A block takes effect at once, on every instance.

create table member_blocks (
  member_id text collate "C" primary key,
  reason text,
  since timestamptz(3) not null default clock_now(),
  until timestamptz(3)
);
comment on table member_blocks is 'The latest block of each member, active or ended.';
comment on column member_blocks.member_id is
  'The member, without a foreign key: erasing the member must not end the block.';
comment on column member_blocks.reason is 'The reason, for administrators. Null once the member was erased.';
comment on column member_blocks.until is
  'The block ends then. Null: an administrator has to end it, which sets this column.';

-- In PL/pgSQL, which plans the query once for each connection; a function in SQL is planned with every call.
create function is_void_by_block(member text, made_at timestamptz) returns boolean language plpgsql stable as $$
begin
  return exists (
    select from member_blocks b where b.member_id = member and (b.until is null or b.until >= made_at));
end $$;
comment on function is_void_by_block is
  'Returns whether a block voids what was made at this time. Everything from before the end of a block stays void, so that a sign-in that was finishing when the block began needs no lock.';
