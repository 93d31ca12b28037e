-- A dry run changes a server in a transaction that is taken back: it must not lock every member of the server for that.

create or replace function keep_members_of_server() returns trigger language plpgsql as $$
begin
  -- Nobody reads these columns in a transaction that is taken back.
  if coalesce(current_setting('rolecall.rehearsal', true), '') <> 'on' then
    perform keep_current_members(array(
      select member_id from memberships where server_id = new.id and left_at is null));
  end if;
  return null;
end $$;
comment on function keep_members_of_server is 'Sets is_current and is_club_member of all members of the server, but for a rehearsal.';
