import type { ChatGateway } from '#chat/chat-gateway'
import { type Database, DatabaseFull } from '#platform/db/database'
import type { Log } from '#platform/log'
import { ignoreOutage } from './ignore-outage.ts'
import { renewLease, type TakenLead, takeLead } from './store.ts'

interface CandidateDeps {
  readonly db: Database
  readonly log: Log
  readonly gateway: Pick<ChatGateway, 'status'>
  /** True if no other process can open this database. */
  readonly isAlone: boolean
}

/**
 * Takes the lead if it can be kept. On a full disk a small write may find space for which a renewal is too large.
 * Instances would then take the lead from each other every few seconds, each time with new sessions at the
 * platform, which resets the token of a bot that begins too many. So the first renewal is written with the lead, or
 * neither is: the present leader continues, and tries to renew.
 */
export function createCandidate({ db, log, gateway, isAlone }: CandidateDeps) {
  let isRefused = false
  const takeAndRenew = () =>
    db.transaction(async (tx) => {
      const taken = await takeLead(tx, isAlone)
      if (!taken) return undefined
      await renewLease(tx, {
        epoch: taken.epoch,
        // The same bytes: a renewal needs space for them.
        handover: taken.handover ?? undefined,
        ...{ lagMs: 0, eventAt: null, vouched: new Map() },
        gateway: { ...gateway.status(), state: 'connecting' },
      })
      return taken
    })
  const noteRoom = (taken: TakenLead | undefined) => {
    isRefused = false
    return taken
  }
  const noteRefusal = (error: unknown) => {
    if (error instanceof DatabaseFull && !isRefused) {
      isRefused = true
      log.warn('gateway leadership not acquired: the database has no room for renewals')
    }
    throw error
  }
  return async (): Promise<TakenLead | undefined> => {
    // Each attempt is a write that is refused: one in ten seconds is enough to notice free space.
    if (isRefused && (await db.ping()) === 'full') return undefined
    return ignoreOutage(takeAndRenew().then(noteRoom, noteRefusal))
  }
}
