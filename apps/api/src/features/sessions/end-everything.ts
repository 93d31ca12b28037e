import type { Tx } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import {
  deleteOpenCodes,
  deleteOpenRequests,
  deleteSsoSessions,
  revokeSessionsOfEverybody,
} from './end-store.ts'

/** How many of each were ended. */
export interface Ended {
  readonly sessions: number
  readonly ssoSessions: number
  readonly codes: number
  readonly requests: number
}

/**
 * Ends everything that lets somebody in without a new login: sessions of projects and admins, browsers that may skip
 * the platform's screen, codes that were not exchanged, logins under way. It goes through the same tables as every
 * revocation, so running instances know with their next request, and projects hear of it as events.
 *
 * In the order of a login: whoever is a step further when one statement has passed is met by the next one, which
 * waits for it and sees what it left.
 */
export const endEverything = ({ db, audit }: Pick<Deps, 'db' | 'audit'>): Promise<Ended> =>
  db.transaction(
    async (tx: Tx) => {
      const requests = await deleteOpenRequests(tx)
      const ssoSessions = await deleteSsoSessions(tx)
      const codes = await deleteOpenCodes(tx)
      const sessions = await revokeSessionsOfEverybody(tx)
      await audit.record(tx, {
        actionType: 'auth',
        action: 'session.revoke_all',
        severity: 'warning',
        summary:
          `Everything was ended by the command line: ${sessions} sessions, ${ssoSessions} single sign-on sessions, ` +
          `${codes} codes, ${requests} logins under way.`,
      })
      return { sessions, ssoSessions, codes, requests }
    },
    { long: true },
  )
