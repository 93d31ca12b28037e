import type { ChatGateway } from '#chat/chat-gateway'
import { type Database, DatabaseFull } from '#platform/db/database'
import type { Log } from '#platform/log'
import { ignoreOutage } from './ignore-outage.ts'
import { type AcquiredLease, acquireLease, renewLease } from './store.ts'

interface LeaseAcquirerDeps {
  readonly db: Database
  readonly log: Log
  readonly gateway: Pick<ChatGateway, 'status'>
  /** True if no other process can open this database. */
  readonly isSingleInstance: boolean
}

/**
 * Creates the function that makes this instance the leader. It acquires and renews the lease in one transaction. On a
 * full disk, the small write that acquires the lease may succeed while renewals fail. Instances would then take the
 * lease from each other every few seconds, each time with new gateway sessions. Discord resets the token of a bot that
 * begins too many sessions. If the transaction fails, the current leader stays.
 */
export function createLeaseAcquirer({ db, log, gateway, isSingleInstance }: LeaseAcquirerDeps) {
  let isRefused = false
  const acquireAndRenew = () =>
    db.transaction(async (tx) => {
      const acquired = await acquireLease(tx, isSingleInstance)
      if (!acquired) return undefined
      await renewLease(tx, {
        epoch: acquired.epoch,
        // Writes the stored state again, because every renewal needs space for it.
        handover: acquired.handover ?? undefined,
        ...{ lagMs: 0, eventAt: null, liveAsOf: new Map() },
        gateway: { ...gateway.status(), state: 'connecting' },
      })
      return acquired
    })
  const recordSuccess = (acquired: AcquiredLease | undefined) => {
    isRefused = false
    return acquired
  }
  const recordRefusal = (error: unknown) => {
    if (error instanceof DatabaseFull && !isRefused) {
      isRefused = true
      log.warn('gateway leadership not acquired: the database has no room for renewals')
    }
    throw error
  }
  return async (): Promise<AcquiredLease | undefined> => {
    // While the disk counts as full, does not even try, because the write would fail.
    if (isRefused && (await db.ping()) === 'full') return undefined
    return ignoreOutage(acquireAndRenew().then(recordSuccess, recordRefusal))
  }
}
