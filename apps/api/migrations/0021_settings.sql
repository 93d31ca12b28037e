-- Holds settings that administrators changed, and fingerprints of the encryption keys.

create table settings (
  is_only boolean primary key default true check (is_only),
  version bigint not null default 0,
  overrides jsonb not null default '{}',
  updated_at timestamptz(3),
  updated_by text collate "C"
);
comment on table settings is
  'Holds the settings in one row. Reading its version shows every instance cheaply whether settings changed, and locking it orders writers.';
comment on column settings.overrides is
  'Values by "group.key". Other settings have the value of the environment.';

insert into settings default values;

create table key_fingerprints (
  purpose text primary key,
  fingerprint text not null,
  noted_at timestamptz(3) not null default clock_now()
);
comment on table key_fingerprints is
  'Fingerprints of the encryption keys that secrets are sealed under, so that a start detects a changed key.';
