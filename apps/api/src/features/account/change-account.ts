import type { By } from '#audit/event'
import { ApiError } from '#platform/http/api-error'
import type { Deps } from '../../deps.ts'
import type { AccountNeeds } from './account-needs.ts'
import type { Person } from './who-asks.ts'

type ChangeDeps = Pick<Deps, 'db' | 'audit'>

/**
 * Ends one session or single sign-on of the person. Another person's session returns the same 404 as an unknown one.
 *
 * @throws SESSION_NOT_FOUND
 */
export async function endSession(
  {
    db,
    audit,
    endSession: end,
    describeEnded,
  }: ChangeDeps & Pick<AccountNeeds, 'endSession' | 'describeEnded'>,
  { memberId, account: { username } }: Person,
  by: By,
  sessionId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const ended = await end(tx, memberId, sessionId)
    if (!ended) throw new ApiError('SESSION_NOT_FOUND')
    await audit.record(tx, {
      ...by,
      actionType: 'auth',
      action: 'session.revoke',
      target: { type: 'session', id: sessionId, name: ended.projectName },
      summary: `${username} ended ${describeEnded(ended)} on their account page.`,
    })
  })
}

/** Ends every session and single sign-on of the person. */
export async function endEverything(
  { db, audit, endEverySession }: ChangeDeps & Pick<AccountNeeds, 'endEverySession'>,
  { memberId, account: { username } }: Person,
  by: By,
): Promise<void> {
  await db.transaction(async (tx) => {
    const ended = await endEverySession(tx, memberId)
    await audit.record(tx, {
      ...by,
      actionType: 'auth',
      action: 'session.revoke_all',
      target: { type: 'member', id: memberId, name: username },
      summary: `${username} ended all of their sessions on their account page: ${ended}.`,
    })
  })
}

/**
 * Withdraws the person's consent for a client, and ends the person's sessions with this client. Does nothing if there
 * is no consent.
 */
export async function withdrawConsent(
  {
    db,
    audit,
    deleteConsent,
    endClientSessions,
  }: ChangeDeps & Pick<AccountNeeds, 'deleteConsent' | 'endClientSessions'>,
  { memberId, account: { username } }: Person,
  by: By,
  { projectId, clientId }: { readonly projectId: string; readonly clientId: string | null },
): Promise<void> {
  await db.transaction(async (tx) => {
    const withdrawn = await deleteConsent(tx, { projectId, memberId, clientId })
    if (!withdrawn) return
    const ended = await endClientSessions(tx, { projectId, memberId, clientId })
    await audit.record(tx, {
      ...by,
      actionType: 'auth',
      action: 'consent.withdraw',
      target: { type: 'project', id: projectId, name: withdrawn.projectName },
      summary: `${username} withdrew their consent for ${clientId === null ? '' : `${clientId} at `}${withdrawn.projectName}. Its sessions that ended: ${ended}.`,
    })
  })
}
