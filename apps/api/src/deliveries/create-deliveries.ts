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

/** The pause between two claims while there are messages, so that one claim covers many of them. */
const pauseMs = 20
/** The time for which a stop continues to send messages that are due. */
const flushMs = 3_000
/**
 * The label of each result in the metrics. An attempt that is retried has the label `refused`, which existing
 * dashboards use.
 */
const metricLabels = {
  delivered: 'delivered',
  retried: 'refused',
  given_up: 'given_up',
} as const satisfies Record<CountedResult, string>

interface DeliveriesDeps {
  readonly db: Database
  /** The database without the watch on writes. Claims change nothing that other instances cache. */
  readonly claims: Queryable
  /** Returns the number of running instances, as far as this one knows. */
  readonly instances: () => number
  readonly log: Log
  readonly audit: { readonly record: RecordAudit }
  readonly kinds: readonly DeliveryKind[]
}

/** Sends the waiting messages of all kinds. Each is sent at least once, so a receiver may get one twice. */
export interface Deliveries {
  /** The number of attempts of this process, by kind and result. */
  readonly attempts: Tally
  start(): void
  /** Sends messages that are due for a few more seconds, and then stops. All others stay in the queue. */
  close(): Promise<void>
}

/**
 * Creates the sender of messages. Every instance has one, and they share the work: an instance claims a receiver, sends
 * its messages, and gives up the claim. If the instance is killed, the claim expires.
 */
export function createDeliveries({ log, kinds, claims, instances, ...deps }: DeliveriesDeps): Deliveries {
  const slots = createSlots()
  const attempts = createTally()
  /** The work in progress, and the controller that aborts it. */
  const running = new Map<Promise<void>, AbortController>()
  let timer: NodeJS.Timeout | undefined
  let claiming: Promise<void> | undefined
  let isWakePending = false
  let isStopped = false

  const startSending = (kind: DeliveryKind, claimed: ClaimedReceiver, claim: string) => {
    const abort = new AbortController()
    const free = slots.take(claimed.isTroubled)
    const count = (result: CountedResult, times = 1) => {
      if (times > 0) attempts.count(kind.name, metricLabels[result], times)
    }
    const done = sendMessages({ ...deps, count }, kind, { claimed, claim, signal: abort.signal })
      .catch((err: unknown) => {
        // The claim will expire. The next instance that claims the receiver continues.
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
      if (kind) startSending(kind, claimed, claim)
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
        // `availability.ts` logs the outage once, and the next claim follows soon.
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
