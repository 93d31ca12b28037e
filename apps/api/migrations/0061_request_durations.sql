-- How long requests took, beside how many there were: of each bound of a histogram, how many were answered within it and not within the one before.
-- Null: counted by a version that did not measure, or never measured (no endpoint was at that address).

alter table usage_minutes add column took integer[];
