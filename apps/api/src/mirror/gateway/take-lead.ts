import type { ChatGateway } from '#chat/chat-gateway'
import { type Database, DatabaseFull } from '#platform/db/database'
import type { Log } from '#platform/log'
import { ignoreOutage } from './ignore-outage.ts'
import { renewLease, type TakenLead, takeLead } from './store.ts'

interface CandidateDeps {
  readonly db: Database
  readonly log: Log
  readonly gateway: Pick<ChatGateway, 'status'>
  /** No other process can have this database. */
  readonly isAlone: boolean
}

/**
 * Takes the lead when it can be kept. On a full disk a small write may find room where a renewal does not: instances
 * would take the lead from each other every few seconds, each time with new sessions at the platform, which resets the
 * token of a bot that begins too many. So the first renewal is written with the lead, or neither is: whoever leads goes on,
 * and tries to renew.
 */
export function createCandidate({ db, log, gateway, isAlone }: CandidateDeps) {
  let isRefused = false
  const takeAndRenew = () =>
    db.transaction(async (tx) => {
      const taken = await takeLead(tx, isAlone)
      if (!taken) return undefined
      await renewLease(tx, {
        epoch: taken.epoch,
        // The same bytes: a renewal needs the room for them.
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
      log.warn('the lead of the gateway is not taken while the database has no room for its renewals')
    }
    throw error
  }
  return async (): Promise<TakenLead | undefined> => {
    // Each try is a write that is refused: one in ten seconds shows as well that there is room again.
    if (isRefused && (await db.ping()) === 'full') return undefined
    return ignoreOutage(takeAndRenew().then(noteRoom, noteRefusal))
  }
}
