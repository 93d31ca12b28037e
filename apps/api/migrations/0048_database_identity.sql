-- Which database of which cluster this was: transaction ids mean nothing in another one, and a restored dump brings them along.

create table database_identity (
  is_only boolean primary key default true check (is_only),
  -- The cluster's system identifier and the database's oid.
  identity text not null
);
