-- Names of projects that nobody can tell apart are one name: NFC and NFD, wide and narrow letters, any case.

-- Made by the service, which folds letters alike on every engine and locale. Null: written by a version before this
-- one, or the twin of an older project; such a name is unique by the index before this one, which stays.
alter table projects add column name_key text collate "C";

update projects p set name_key = k.name_key
from (
  select id, lower(normalize(name, nfkc)) as name_key,
    row_number() over (partition by lower(normalize(name, nfkc)) order by created_at, id) as place
  from projects where deleted_at is null) k
where p.id = k.id and k.place = 1;

create unique index projects_name_key on projects (name_key) where deleted_at is null;
