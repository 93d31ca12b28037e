-- Several leaders of the gateway, one for each group of shards: a row for each group, and one count of new sessions for all of them.
-- small: live_mirror has a row for each group.
-- The row that exists is the whole gateway: group 0 of 1.
alter table live_mirror add column group_index integer not null default 0;
alter table live_mirror add column group_count integer not null default 1;
-- An instance that leads less than another asks for this group.
alter table live_mirror add column wanted_at timestamptz(3);
create unique index live_mirror_group on live_mirror (group_count, group_index);
drop index live_mirror_only;

-- From when on a new session may be begun in each lane: the platform counts them for the bot, whoever begins them.
create table gateway_lanes (
  lane integer primary key,
  free_at timestamptz(3) not null
);

-- New sessions that the platform still allows until its count begins anew, less those begun since it said so.
create table gateway_starts (
  is_only boolean primary key default true check (is_only),
  remaining integer not null,
  reset_at timestamptz(3) not null
);
