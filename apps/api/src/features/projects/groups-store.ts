import type { groups } from '@rolecall/contract'
import type { Tx } from '#platform/db/database'
import { sql } from '#platform/db/sql'

/** The names that a project gives to roles as groups. Null means that every group has the name of its role. */
export interface StoredGroups {
  readonly groupNames: groups.GroupNames
  /** True if only the roles in `groupNames` are groups. */
  readonly onlyNamedGroups: boolean
}

export const updateGroups = (tx: Tx, projectId: string, { groupNames, onlyNamedGroups }: StoredGroups) =>
  tx.execute(sql`
    update projects set group_names = ${groupNames && JSON.stringify(groupNames)}::jsonb,
      only_named_groups = ${onlyNamedGroups}, updated_at = clock_now()
    where id = ${projectId}`)
