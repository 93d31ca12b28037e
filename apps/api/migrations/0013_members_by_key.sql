-- Each member is looked up by key, also while nobody has counted the tables yet, as in an embedded engine that
-- never does: `offset 0` keeps the planner from reading all memberships for every few members.
create or replace function keep_current_members(ids text[]) returns void language plpgsql as $$
begin
  perform from members where id = any(ids) order by length(id), id for no key update;
  update members u set is_current = now.is_current, is_club_member = now.is_club_member
  from (
    select one.id, held.is_current, held.is_club_member
    from unnest(ids) as one (id) cross join lateral (
      select count(*) > 0 as is_current, coalesce(bool_or(v.is_main), false) as is_club_member
      from memberships m join servers v on v.id = m.server_id and v.removed_at is null
      where m.member_id = one.id and m.left_at is null offset 0) held
    offset 0) now
  where u.id = now.id
    and (u.is_current, u.is_club_member) is distinct from (now.is_current, now.is_club_member);
end $$;
