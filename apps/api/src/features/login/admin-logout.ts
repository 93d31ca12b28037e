import type { Tx } from '#platform/db/database'
import { Answer } from '#platform/http/answer'
import type { Client } from '#platform/http/router'
import { deletedAdminCookies } from '../../callers/admin-cookies.ts'
import type { MemberCaller } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'

type EndSession = (tx: Tx, sessionId: string) => Promise<unknown>

/**
 * Ends the session of the request. The response deletes the console's cookies, and makes the browser clear its cache
 * and storage for this origin. `Clear-Site-Data` does not include `"cookies"`, because that would also end single
 * sign-on, and delete the cookies of all other sites under the same domain. Writes an audit entry only for an admin
 * session.
 */
export async function adminLogout(
  { db, audit, config, endSession }: Pick<Deps, 'db' | 'audit' | 'config'> & { endSession: EndSession },
  { sessionId, sessionProjectId, memberId, username }: MemberCaller,
  client: Client,
): Promise<Answer> {
  await db.transaction(async (tx) => {
    await endSession(tx, sessionId)
    if (sessionProjectId !== null) return
    await audit.record(tx, {
      actor: { id: memberId, username },
      actionType: 'auth',
      action: 'admin.logout',
      target: { type: 'session', id: sessionId },
      summary: `${username} signed out of the console.`,
      client,
    })
  })
  return new Answer(
    200,
    { success: true },
    { 'set-cookie': deletedAdminCookies(config), 'clear-site-data': '"cache", "storage"' },
  )
}
