-- A leaked admin code is worth less, single sign-on can be listed and ended, and its used values are recognised.

-- Of an admin login: the browser that began it, which alone may redeem the code for cookies.
alter table authorization_codes add column browser_digest text collate "C";

-- Who came through the callback, as for sessions.
alter table sso_sessions add column ip text, add column user_agent text;

-- A used value is kept as long as its single sign-on: whoever presents it later holds a copy.
create table spent_sso (
  digest text collate "C" primary key,
  sso_id uuid not null references sso_sessions on delete cascade,
  spent_at timestamptz(3) not null default clock_now()
);

create index spent_sso_by_id on spent_sso (sso_id);
