import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordAudit } from '#audit/event'
import { within } from '#platform/async'
import { uuidv7 } from '#platform/crypto/uuid'
import { type Database, DatabaseUnavailable, type Queryable } from '#platform/db/database'
import type { Log } from '#platform/log'
import { createTally, type Tally } from '#platform/metrics/tally'
import { claimPauseMs } from './claim-pause.ts'
import { type ClaimedReceiver, claimReceivers } from './claim-store.ts'
import type { DeliveryKind } from './kind.ts'
import { sendMessages } from './send-messages.ts'
import type { CountedResult } from './settle.ts'
import { createSlots } from './slots.ts'

/** The pause between two claims while there is work, so that one claim covers a burst of messages. */
const pauseMs = 20
/** The time limit for sending due messages during a graceful shutdown. */
const flushMs = 3_000
/** The labels of the results in metrics. The label of a retried attempt is `refused`, on which dashboards depend. */
const metricLabels = {
  delivered: 'delivered',
  retried: 'refused',
  given_up: 'given_up',
} as const satisfies Record<CountedResult, string>

interface DeliveriesDeps {
  readonly db: Database
  /** The database without the watch on writes, because the session cache contains nothing about receivers. */
  readonly claims: Queryable
  /** Returns the number of running instances, according to this instance. */
  readonly instances: () => number
  readonly log: Log
  readonly audit: { readonly record: RecordAudit }
  readonly kinds: readonly DeliveryKind[]
}

/** Sends the messages of all kinds, at least once each. */
export interface Deliveries {
  /** Counts the attempts of this process by kind and result. */
  readonly attempts: Tally
  start(): void
  /** Sends due messages for a few seconds, and then stops. The rest stays in the queue. */
  close(): Promise<void>
}

/**
 * Creates the sender, which every instance runs. Instances share the work by claiming receivers. A claim is released
 * after its work, and expires if its instance is killed.
 */
export function createDeliveries({ log, kinds, claims, instances, ...deps }: DeliveriesDeps): Deliveries {
  const slots = createSlots()
  const attempts = createTally()
  /** Maps the work in progress to its abort controllers. */
  const running = new Map<Promise<void>, AbortController>()
  let timer: NodeJS.Timeout | undefined
  let claiming: Promise<void> | undefined
  let isWakePending = false
  let isStopped = false

  const work = (kind: DeliveryKind, claimed: ClaimedReceiver, claim: string) => {
    const abort = new AbortController()
    const free = slots.take(claimed.isTroubled)
    const count = (result: CountedResult, times = 1) => {
      if (times > 0) attempts.count(kind.name, metricLabels[result], times)
    }
    const done = sendMessages({ ...deps, count }, kind, { claimed, claim, signal: abort.signal })
      .catch((err: unknown) => {
        // The claim expires, and the next instance that claims the receiver continues.
        const { projectId } = claimed
        if (!(err instanceof DatabaseUnavailable))
          log.error({ err, kind: kind.name, projectId }, 'deliveries stopped: internal error')
      })
      .finally(() => {
        running.delete(done)
        free()
        wake()
      })
    running.set(done, abort)
  }
  const claimOnce = async () => {
    const wanted = kinds.filter((kind) => !kind.isSilenced?.())
    const { prompt, troubled } = slots.free()
    if (wanted.length === 0 || prompt + troubled === 0) return
    const claim = uuidv7()
    const names = wanted.map(({ name }) => name)
    for (const claimed of await claimReceivers(claims, { claim, kinds: names, prompt, troubled })) {
      const kind = wanted.find(({ name }) => name === claimed.kind)
      if (kind) work(kind, claimed, claim)
    }
  }
  const claimUntilQuiet = async () => {
    do {
      isWakePending = false
      await claimOnce()
      if (isWakePending) await sleep(pauseMs)
    } while (isWakePending && !isStopped)
  }
  const wake = () => {
    isWakePending = true
    if (!timer || claiming || isStopped) return
    claiming = claimUntilQuiet()
      .catch((err: unknown) => {
        isWakePending = false
        // `availability.ts` logs an outage once, and the next claim follows soon.
        if (!(err instanceof DatabaseUnavailable)) log.error({ err }, 'delivery claim failed: internal error')
      })
      .finally(() => {
        claiming = undefined
        // Work may have ended after the last claim.
        if (isWakePending) wake()
      })
  }
  const wakeLater = () => {
    timer = setTimeout(() => {
      wakeLater()
      wake()
    }, claimPauseMs(instances())).unref()
  }
  const idle = async () => {
    while (claiming || running.size > 0) await Promise.all([claiming, ...running.keys()])
  }

  return {
    attempts,
    start: () => {
      if (timer) return
      wakeLater()
      wake()
    },
    async close() {
      if (!timer || isStopped) return
      clearTimeout(timer)
      wake()
      await within(idle(), flushMs, undefined)
      isStopped = true
      await claiming
      for (const abort of running.values()) abort.abort()
      await idle()
    },
  }
}
