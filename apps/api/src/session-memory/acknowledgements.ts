import type { Cache } from '#platform/cache/cache'
import type { Log } from '#platform/log'
import { acknowledge, type Run } from './change-log-store.ts'
import { formatAcknowledgement, type Notification } from './invalidation.ts'

/**
 * The delay after which changes that a renewal found are acknowledged together. Their notification was lost, so a
 * writer may be waiting. Other acknowledgements are sent immediately, when a writer requests them.
 */
const acknowledgeAfterMs = 20

/** The part of the cache that sends acknowledgements to waiting processes. */
export type AcknowledgementCache = Pick<Cache, 'isUp' | 'publish' | 'subscribe'>

/** Returns the name of the cache channel on which a lease receives acknowledgements. */
export const acknowledgementsFor = (lease: string) => `acknowledgements:${lease}`

interface AcknowledgementsDeps {
  readonly run: Run
  readonly lease: string
  /** Returns the latest snapshot with all changes applied. */
  readonly applied: () => string
  readonly hasEnded: () => boolean
  /** Called when an acknowledgement could not be written. */
  readonly onFailure: () => void
  /** Undefined if other processes do not share the cache. */
  readonly cache: AcknowledgementCache | undefined
  readonly log: Pick<Log, 'error'>
}

/** Acknowledges the changes that one lease has applied, in its row or through the cache. */
export class Acknowledgements {
  readonly #deps: AcknowledgementsDeps
  /** True while the row does not acknowledge all applied changes. */
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

  /** Records that a renewal, sent in this step, acknowledges all applied changes in the row. */
  recordRenewal(): void {
    this.#isDue = false
  }

  writeSoon(): void {
    if (this.#timer || !this.#isDue) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (!this.#deps.hasEnded()) this.#write()
    }, acknowledgeAfterMs).unref()
  }

  /** Acknowledges all applied changes to a waiting writer, including changes that were applied earlier. */
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
