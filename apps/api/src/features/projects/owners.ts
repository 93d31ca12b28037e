import type { NewOwners, Owners } from '@rolecall/contract'
import type { Tx } from '#platform/db/database'
import { checkRolesKnown } from '../../checks/known-roles.ts'
import { storeOwners } from './owner-store.ts'

const nobody: Owners = { roleIds: [], memberIds: [] }

/**
 * Sets the owners of a project. Does nothing if `wanted` is undefined. Returns the change for the audit entry.
 *
 * @throws VALIDATION_FAILED if a role is unknown
 */
export async function setOwners(
  tx: Tx,
  projectId: string,
  wanted: NewOwners | undefined,
  before: Owners = nobody,
): Promise<Record<string, { before: unknown; after: unknown }>> {
  if (wanted === undefined) return {}
  const after = { ...nobody, ...wanted }
  if (isSame(before.roleIds, after.roleIds) && isSame(before.memberIds, after.memberIds)) return {}
  await checkRolesKnown(tx, { path: '/owners/roleIds', roleIds: after.roleIds, serverId: undefined })
  await storeOwners(tx, projectId, after)
  return { owners: { before, after } }
}

/** Returns true if two lists contain the same IDs, in any order. */
const isSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((one) => b.includes(one))
