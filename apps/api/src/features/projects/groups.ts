import { type groups, storedName } from '@rolecall/contract'
import type { Tx } from '#platform/db/database'
import { type StoredGroups, updateGroups } from './groups-store.ts'

/** The setting of a new project. */
export const noGroups: StoredGroups = { groupNames: null, onlyNamedGroups: false }

/**
 * Stores the settings of groups that the input contains, and keeps the others. Returns the changes for the audit entry.
 */
export async function setGroups(
  tx: Tx,
  projectId: string,
  input: Partial<StoredGroups>,
  before: StoredGroups = noGroups,
): Promise<Record<string, { before: unknown; after: unknown }>> {
  const { groupNames, onlyNamedGroups = before.onlyNamedGroups } = input
  const after: StoredGroups = {
    groupNames: groupNames === undefined ? before.groupNames : stored(groupNames),
    onlyNamedGroups,
  }
  const changes = {
    ...(!isSame(before.groupNames, after.groupNames) && {
      groupNames: { before: before.groupNames, after: after.groupNames },
    }),
    ...(before.onlyNamedGroups !== after.onlyNamedGroups && {
      onlyNamedGroups: { before: before.onlyNamedGroups, after: after.onlyNamedGroups },
    }),
  }
  if (Object.keys(changes).length > 0) await updateGroups(tx, projectId, after)
  return changes
}

const stored = (names: groups.GroupNames): groups.GroupNames =>
  names && Object.fromEntries(Object.entries(names).map(([roleId, name]) => [roleId, storedName(name)]))

/** Returns true if two settings are equal. Ignores the order of keys, which the database does not preserve. */
function isSame(a: groups.GroupNames, b: groups.GroupNames): boolean {
  if (a === null || b === null) return a === b
  const names = Object.entries(a)
  return names.length === Object.keys(b).length && names.every(([roleId, name]) => b[roleId] === name)
}
