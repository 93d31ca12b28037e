-- What waits for a client follows its logout address: an address that was taken away is posted to no more.

create function move_waiting_logouts() returns trigger language plpgsql as $$
begin
  if new.backchannel_logout_uri is null then
    update oidc_logouts set failed_at = clock_now(), last_error = 'The client has no logout address any more.'
    where project_id = new.project_id and delivered_at is null and failed_at is null;
  else
    update oidc_logouts set uri = new.backchannel_logout_uri
    where project_id = new.project_id and delivered_at is null and failed_at is null;
  end if;
  return null;
end $$;
comment on function move_waiting_logouts is
  'Sends what waits for a client to its new logout address, or gives it up where there is none.';

-- Triggers run in the order of their names: this one after the one that tells of a client that is switched off.
create trigger oidc_clients_told_elsewhere after update on oidc_clients for each row
  when (old.backchannel_logout_uri is distinct from new.backchannel_logout_uri)
  execute function move_waiting_logouts();
comment on trigger oidc_clients_told_elsewhere on oidc_clients is
  'Whoever takes an address away need not know of what still waits for it.';
