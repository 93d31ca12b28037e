-- As of when the platform told what a profile says: for an answer, when it was asked for. Written later, an old
-- answer would pass for a new one, and keep a newer one out.

alter table members add column told_at timestamptz(3) not null default clock_now();
