-- One clock for every instance: the database's. Nothing else decides whether a thing has expired.
-- A function of ours, so that tests can move time without sleeping.
create function clock_now() returns timestamptz
language sql stable parallel safe
as $$ select date_trunc('milliseconds', now()) $$;

-- ISO 8601 in UTC with milliseconds, as the wire carries it.
create function iso(at timestamptz) returns text
language sql stable parallel safe
as $$ select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;
