import { digestOf } from '#platform/crypto/tokens'
import type { ProjectCaller } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import type { SessionChanges } from './gathered-changes.ts'
import { lockSsoOfMember } from './own-sessions-store.ts'
import { invalidateCodes, markLogoutAll, revokeMemberInProject } from './store.ts'

/**
 * Ends the session of a session token or refresh token, if it belongs to the calling project. Any other token is
 * ignored with the same response (RFC 7009 §2.2), so that a caller cannot find out which tokens exist.
 */
export async function logout(
  { logOut }: Pick<SessionChanges, 'logOut'>,
  { projectId }: ProjectCaller,
  token: string,
) {
  await logOut({ projectId, digest: digestOf(token) })
  return { success: true }
}

/**
 * Ends all sessions of a member in the calling project. The response for an unknown member is the same.
 *
 * Keep the order of the statements. `lockSsoOfMember` waits for sign-ins that are being completed by single sign-on, so
 * the next statements find their codes and sessions. Later sign-ins find the mark. `invalidateCodes` waits for codes
 * that are being exchanged at this moment, so the next statement finds their sessions.
 */
export async function logoutAll({ db }: Pick<Deps, 'db'>, { projectId }: ProjectCaller, memberId: string) {
  await db.transaction(async (tx) => {
    await lockSsoOfMember(tx, memberId)
    await markLogoutAll(tx, projectId, memberId)
    await invalidateCodes(tx, projectId, memberId)
    await revokeMemberInProject(tx, projectId, memberId)
  })
  return { success: true }
}
