-- The trail of access changes can only grow, as the audit log.

create function refuse_trail_change() returns trigger language plpgsql as $$
begin
  raise exception 'The access trail is append-only.' using errcode = 'insufficient_privilege';
end $$;

create trigger access_trail_append_only before update or delete or truncate on access_trail
  for each statement execute function refuse_trail_change();
