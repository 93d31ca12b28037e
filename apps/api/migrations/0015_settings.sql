-- What administrators changed of the settings. One row: its version tells every instance at the price of
-- one tiny read whether there is anything new, and its lock puts writers in order.

create table settings (
  is_only boolean primary key default true check (is_only),
  version bigint not null default 0,
  -- "group.key" → value. What is not in here comes from the environment.
  overrides jsonb not null default '{}',
  updated_at timestamptz(3),
  updated_by text collate "C"
);

insert into settings default values;
