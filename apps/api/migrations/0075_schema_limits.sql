-- Under which limits the schema of an inbound webhook was taken: those that were taken under others are told at start.

alter table inbound_webhooks add column schema_limits smallint;
