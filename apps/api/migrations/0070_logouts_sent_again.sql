-- A logout that is sent again by hand has a day of its own: how long it waits counts from when it was queued.
alter table oidc_logouts add column queued_at timestamptz(3);
alter table oidc_logouts alter column queued_at set default clock_now();
update oidc_logouts set queued_at = created_at;
