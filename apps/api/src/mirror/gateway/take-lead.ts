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
 * Creates the function that makes this instance the leader. It takes the lead and renews the lease in one transaction.
 * On a full disk, the small write that takes the lead may succeed while renewals fail. Instances would then take the
 * lead from each other every few seconds, each time with new gateway sessions. Discord resets the token of a bot that
 * begins too many sessions. If the transaction fails, the current leader stays.
 */
export function createCandidate({ db, log, gateway, isAlone }: CandidateDeps) {
  let isRefused = false
  const takeAndRenew = () =>
    db.transaction(async (tx) => {
      const taken = await takeLead(tx, isAlone)
      if (!taken) return undefined
      await renewLease(tx, {
        epoch: taken.epoch,
        // Writes the stored state again, because every renewal needs space for it.
        handover: taken.handover ?? undefined,
        ...{ lagMs: 0, eventAt: null, vouched: new Map() },
        gateway: { ...gateway.status(), state: 'connecting' },
      })
      return taken
    })
  const recordSuccess = (taken: TakenLead | undefined) => {
    isRefused = false
    return taken
  }
  const recordRefusal = (error: unknown) => {
    if (error instanceof DatabaseFull && !isRefused) {
      isRefused = true
      log.warn('gateway leadership not acquired: the database has no room for renewals')
    }
    throw error
  }
  return async (): Promise<TakenLead | undefined> => {
    // While the disk counts as full, does not even try, because the write would fail.
    if (isRefused && (await db.ping()) === 'full') return undefined
    return ignoreOutage(takeAndRenew().then(recordSuccess, recordRefusal))
  }
}
