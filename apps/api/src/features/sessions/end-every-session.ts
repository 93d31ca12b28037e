import type { dryRun } from '@rolecall/contract'
import type { By } from '#audit/event'
import { findUsername } from '#mirror/read-members'
import type { Tx } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import {
  countLiveSessions,
  deleteSsoOfMember,
  invalidateAllCodes,
  revokeSessionsOfMember,
} from './own-sessions-store.ts'

/**
 * Ends all sessions, codes, and single sign-ons of a member. Returns how many sessions and single sign-ons it ended.
 *
 * Keep the order of the statements: a sign-in creates a single sign-on, then a code, then a session. If a concurrent
 * sign-in gets past one statement, the next statement waits for its row and ends what it created.
 */
export async function endEverySession(
  tx: Tx,
  memberId: string,
  reason: Parameters<typeof revokeSessionsOfMember>[2] = 'revoked',
): Promise<number> {
  const ssoEnded = await deleteSsoOfMember(tx, memberId)
  await invalidateAllCodes(tx, memberId)
  return ssoEnded + (await revokeSessionsOfMember(tx, memberId, reason))
}

/**
 * Signs a member out everywhere, for a System Admin. Writes an audit entry only if anything was ended.
 *
 * @throws MEMBER_NOT_FOUND
 */
export async function signMemberOut(
  { db, audit }: Pick<Deps, 'db' | 'audit'>,
  by: By,
  memberId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const username = await findUsername(tx, memberId)
    if (username === undefined) throw new ApiError('MEMBER_NOT_FOUND')
    const ended = await endEverySession(tx, memberId)
    if (ended === 0) return
    await audit.record(tx, {
      ...by,
      actionType: 'auth',
      action: 'session.revoke_all',
      target: { type: 'member', id: memberId, name: username },
      summary: `All sessions of ${username} were ended: ${ended}.`,
    })
  })
}

/**
 * Counts the sessions that `signMemberOut` would end, for its dry run. Other dry runs make the change and roll it back.
 * This one only counts, because the change would lock the rows of the sessions.
 */
export async function countSessionsOfMember(
  { db }: Pick<Deps, 'db'>,
  memberId: string,
): Promise<dryRun.DryRun> {
  if ((await findUsername(db, memberId)) === undefined) throw new ApiError('MEMBER_NOT_FOUND')
  const { sessions, clientSessions, notifiedSessions } = await countLiveSessions(db, memberId)
  return {
    dryRun: true,
    sessionsEnded: sessions,
    membersAffected: sessions > 0 ? 1 : 0,
    clientSessionsEnded: clientSessions,
    clientSessionsTold: notifiedSessions,
    hostsEnded: 0,
    keysEnded: 0,
    submissionsDeleted: 0,
  }
}
