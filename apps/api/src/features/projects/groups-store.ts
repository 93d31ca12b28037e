import type { groups } from '@rolecall/contract'
import type { Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/**
 * The names that a project gives to its members' groups. Each role is a group. Its name is the one in `groupNames` or,
 * if there is none, the name of the role.
 */
export interface StoredGroups {
  readonly groupNames: groups.GroupNames
  /** True if roles without a name in `groupNames` are not groups. */
  readonly onlyNamedGroups: boolean
}

export const updateGroups = (tx: Tx, projectId: string, { groupNames, onlyNamedGroups }: StoredGroups) =>
  tx.execute(sql`
    update projects set group_names = ${groupNames && JSON.stringify(groupNames)}::jsonb,
      only_named_groups = ${onlyNamedGroups}, updated_at = clock_now()
    where id = ${projectId}`)
