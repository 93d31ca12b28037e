import type { profile } from '@rolecall/contract'
import type { By } from '#audit/event'
import { setPreferredName } from '#mirror/write-members'
import { ApiError } from '#platform/http/api-error'
import { invalid } from '#platform/http/check-request'
import type { AdminCaller } from '../../callers/callers.ts'
import { listOwnedProjects } from '../../callers/owners-store.ts'
import type { Deps } from '../../deps.ts'
import { readPreferredName } from './preferred-name.ts'
import { findProfile, lockPreferredName } from './store.ts'

/** Returns true if the caller has a role in the main server. */
type Holds = (caller: Pick<AdminCaller, 'roleIds'>) => boolean

/** The functions of other features that the profile calls. `app.ts` passes them. */
export interface ProfileNeeds {
  readonly isSystemAdmin: Holds
  readonly isAuditor: Holds
}

/**
 * Returns the profile of the calling administrator.
 *
 * @throws INVALID_TOKEN if the caller was erased meanwhile
 */
export async function readProfile(
  { db, isSystemAdmin, isAuditor }: Pick<Deps, 'db'> & ProfileNeeds,
  caller: AdminCaller,
): Promise<profile.AdminProfile> {
  const row = await findProfile(db, caller.memberId, caller.serverId)
  if (!row) throw new ApiError('INVALID_TOKEN', { reason: 'membership_ended' })
  return {
    ...row,
    isSystemAdmin: isSystemAdmin(caller),
    isAuditor: isAuditor(caller),
    ownedProjects: await listOwnedProjects(db, caller),
  }
}

/**
 * Sets the preferred name of the calling administrator. Null clears it. Without a change, there is no audit entry.
 *
 * @throws VALIDATION_FAILED
 */
export async function updatePreferredName(
  { db, audit }: Pick<Deps, 'db' | 'audit'>,
  by: By,
  { memberId, username }: AdminCaller,
  wanted: string | null,
): Promise<void> {
  const { name, problems } = wanted === null ? { name: null, problems: [] } : readPreferredName(wanted)
  if (problems.length > 0) throw invalid(problems)
  await db.transaction(async (tx) => {
    const before = await lockPreferredName(tx, memberId)
    if (!before || before.preferredName === name) return
    await setPreferredName(tx, memberId, name)
    await audit.record(tx, {
      ...by,
      actionType: 'member',
      action: 'profile.update',
      target: { type: 'member', id: memberId, name: username },
      summary: name === null ? 'The preferred name was cleared.' : 'The preferred name was set.',
      changes: { preferredName: { before: before.preferredName, after: name } },
    })
  })
}
