-- Deliveries that name a person who was erased go as soon as their project has heard of it, so they are looked for every minute.
-- one by one

create index concurrently if not exists event_deliveries_erased on event_deliveries (project_id, member_id)
where type = 'member.erased';
