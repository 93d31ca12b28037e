-- The clean-up finds used refresh tokens by when they were used: a client that asks every ten minutes leaves thousands.

create index oidc_records_used on oidc_records (consumed_at) where model = 'RefreshToken' and consumed_at is not null;
