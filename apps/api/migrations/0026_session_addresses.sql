-- Addresses and browsers of sessions can be forgotten before the sessions end: this finds the oldest that still have one.
create index sessions_addresses on sessions (created_at) where ip is not null or user_agent is not null;
