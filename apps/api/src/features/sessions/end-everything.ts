import type { Tx } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import {
  deleteOpenCodes,
  deleteOpenRequests,
  deleteSsoSessions,
  revokeSessionsOfEverybody,
} from './end-store.ts'

/** The number of items of each kind that `endEverything` ended. */
export interface Ended {
  readonly sessions: number
  readonly ssoSessions: number
  readonly codes: number
  /** The sign-ins in progress. */
  readonly requests: number
}

/**
 * Ends everything that admits a member without a new sign-in: sessions of projects and admins, single sign-ons, codes
 * that were not exchanged, and sign-ins in progress. A command of the command line calls it, also while the service
 * runs. It changes the same tables as every other revocation, so running instances apply it with their next request,
 * and projects receive events.
 *
 * Keep the order of the statements, which is the order of a sign-in. If a concurrent sign-in gets past one statement,
 * the next statement waits for its row and ends what it created.
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
          `All sessions were ended by the command line: ${sessions} sessions, ${ssoSessions} single sign-on sessions, ` +
          `${codes} codes, ${requests} sign-ins in progress.`,
      })
      return { sessions, ssoSessions, codes, requests }
    },
    { long: true },
  )
