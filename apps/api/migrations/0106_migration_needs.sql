-- A migration that breaks older versions says which still work, so that all others may run beside newer ones.

-- Of the line "-- needs: NNNN_….sql" in its file: versions that do not know that migration do not start.
alter table migrations add column needs text;
