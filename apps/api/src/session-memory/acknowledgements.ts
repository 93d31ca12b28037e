import type { Cache } from '#platform/cache/cache'
import type { Log } from '#platform/log'
import { acknowledge, type Run } from './change-log-store.ts'
import { formatAcknowledgement, type Notification } from './invalidation.ts'

/**
 * The delay before the acknowledgement of changes that a renewal found without a notification. The notification may
 * have been lost, so a writer may be waiting. All other acknowledgements are sent as soon as a writer requests them.
 */
const acknowledgeAfterMs = 20

/** The functions of the cache with which processes send each other acknowledgements. */
export type AcknowledgementCache = Pick<Cache, 'isUp' | 'publish' | 'subscribe'>

/** Returns the cache channel on which the holder of a lease receives acknowledgements. */
export const acknowledgementsFor = (lease: string) => `acknowledgements:${lease}`

interface AcknowledgementsDeps {
  readonly run: Run
  readonly lease: string
  /** Returns the latest snapshot of which this process has applied all changes. */
  readonly applied: () => string
  readonly hasEnded: () => boolean
  /** Called if an acknowledgement could not be written. */
  readonly onFailure: () => void
  /** Undefined if the cache is not shared with other processes. */
  readonly cache: AcknowledgementCache | undefined
  readonly log: Pick<Log, 'error'>
}

/**
 * Tells waiting writers which changes this process has applied. An acknowledgement is written to the row of the lease,
 * or sent through the cache, which is faster but may lose it.
 */
export class Acknowledgements {
  readonly #deps: AcknowledgementsDeps
  /** True while the row lacks the acknowledgement of some applied changes. */
  #isDue = false
  #isWriting = false
  #timer: NodeJS.Timeout | undefined

  constructor(deps: AcknowledgementsDeps) {
    this.#deps = deps
  }

  /** Records that changes were applied. */
  recordApplied(): void {
    this.#isDue = true
  }

  /** Records that the renewal that is now being sent acknowledges all applied changes in the row. */
  recordRenewal(): void {
    this.#isDue = false
  }

  /** Writes the acknowledgement to the row after a short delay, so that several changes need only one write. */
  writeSoon(): void {
    if (this.#timer || !this.#isDue) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (!this.#deps.hasEnded()) this.#write()
    }, acknowledgeAfterMs).unref()
  }

  /**
   * Acknowledges to a waiting writer all changes that were applied so far, in the way that its notification requests.
   */
  reply(notified: Notification | undefined): void {
    const { applied, cache, lease } = this.#deps
    if (notified?.kind === 'invalidation' && notified.isQuick && cache?.isUp())
      void cache.publish(acknowledgementsFor(notified.from), formatAcknowledgement(lease, applied()))
    else this.#write()
  }

  #write(): void {
    if (this.#isWriting || !this.#isDue) return
    const { applied, lease, log, onFailure, run } = this.#deps
    this.#isWriting = true
    this.#isDue = false
    acknowledge(run, lease, applied())
      .then(() => {
        this.#isWriting = false
        this.#write()
      }, onFailure)
      .catch((err: unknown) => log.error({ err }, 'change acknowledgment failed: internal error'))
  }
}
