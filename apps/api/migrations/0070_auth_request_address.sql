-- A login that was begun names who began it, so that a flood is told from everyone else and is forgotten first.

-- An IPv6 address as its /64; null where the version before this one wrote the row.
alter table auth_requests add column address text collate "C";

-- Codes that nobody used are of no use to anyone a moment after their minute; used ones are kept to know a second use.
create index authorization_codes_unused_expiry on authorization_codes (expires_at) where used_at is null;
