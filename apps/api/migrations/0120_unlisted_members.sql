-- Whom the pages of a complete list lacked, page by page with the time it was asked for, so that a sync whose process
-- is gone can end them where it goes on. Replaces `suspects`, which an older version beside this one goes on to use.

alter table member_syncs add column unlisted jsonb not null default '[]';
