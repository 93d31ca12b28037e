-- The settings that administrators have changed, and the fingerprints of the encryption keys.

create table settings (
  is_only boolean primary key default true check (is_only),
  version bigint not null default 0,
  overrides jsonb not null default '{}',
  updated_at timestamptz(3),
  updated_by text collate "C"
);
comment on table settings is
  'The changed settings, in a single row. Its version tells every instance at little cost whether settings have changed. Writers lock the row, so they take turns.';
comment on column settings.overrides is 'Values by "group.key". All other settings have the value of the environment.';

insert into settings default values;

create table key_fingerprints (
  purpose text primary key,
  fingerprint text not null,
  noted_at timestamptz(3) not null default clock_now()
);
comment on table key_fingerprints is
  'The fingerprints of the encryption keys, so that a start detects that a key has changed.';
