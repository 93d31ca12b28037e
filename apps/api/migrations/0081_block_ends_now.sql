-- A block ends at the moment of the statement that ends it. The transaction may have begun before the block did, and an end
-- before the beginning would leave logins from between the two alive.
create function clock_moment() returns timestamptz
language sql volatile parallel safe
as $$ select clock_now() + (clock_timestamp() - date_trunc('milliseconds', now())) $$;
comment on function clock_moment is 'The time of the database at this very moment; clock_now() is when the transaction began.';

create or replace trigger member_blocks_begun after insert on member_blocks for each row
  when (new.until is null or new.until > clock_moment())
  execute function tell_block('member.blocked');
create or replace trigger member_blocks_changed after update on member_blocks for each row
  when (old.until is distinct from new.until and (new.until is null or new.until > clock_moment()))
  execute function tell_block('member.blocked');
create or replace trigger member_blocks_ended after update on member_blocks for each row
  when (old.until is distinct from new.until and new.until <= clock_moment())
  execute function tell_block('member.unblocked');
