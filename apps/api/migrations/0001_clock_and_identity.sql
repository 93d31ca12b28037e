-- Defines the clock that every instance reads, and the record of which database this is.

create function clock_now() returns timestamptz
language sql stable parallel safe
as $$ select date_trunc('milliseconds', now()) $$;
comment on function clock_now is
  'Returns the time at which the transaction began, in milliseconds. Expiry is decided by this clock alone; tests replace the function to move time without sleeping.';

create function clock_moment() returns timestamptz
language sql volatile parallel safe
as $$ select clock_now() + (clock_timestamp() - date_trunc('milliseconds', now())) $$;
comment on function clock_moment is
  'Returns the present time, even late in a transaction. A block that ends before the moment of its statement would leave sign-ins from the meantime alive.';

create function iso(at timestamptz) returns text
language sql stable parallel safe
as $$ select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;
comment on function iso is 'Formats a time as the API does: ISO 8601 in UTC with milliseconds.';

create table database_identity (
  is_only boolean primary key default true check (is_only),
  identity text not null
);
comment on table database_identity is
  'Identifies the database that the rows were written in. Transaction IDs mean nothing in another one, and a restored dump brings them along.';
comment on column database_identity.identity is 'The system identifier of the cluster and the OID of the database.';
