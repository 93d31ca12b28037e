-- Defines the clock that all instances use, and records which database this is.

create function clock_now() returns timestamptz
language sql stable parallel safe
as $$ select date_trunc('milliseconds', now()) $$;
comment on function clock_now is
  'Returns the start time of the transaction, in whole milliseconds. This clock alone decides about every expiry. Tests replace the function to move time without waiting.';

create function clock_moment() returns timestamptz
language sql volatile parallel safe
as $$ select clock_now() + (clock_timestamp() - date_trunc('milliseconds', now())) $$;
comment on function clock_moment is
  'Returns the current time, even late in a transaction. Used where the start of the transaction would be too early: a block that ended then would leave the sign-ins since then valid.';

create function iso(at timestamptz) returns text
language sql stable parallel safe
as $$ select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;
comment on function iso is 'Formats a time as the API does: ISO 8601 in UTC with milliseconds.';

create table database_identity (
  is_only boolean primary key default true check (is_only),
  identity text not null
);
comment on table database_identity is
  'Identifies the database that the rows were written in. Transaction IDs have no meaning in another database, but a restored dump contains them.';
comment on column database_identity.identity is 'The system identifier of the cluster, and the OID of the database.';
