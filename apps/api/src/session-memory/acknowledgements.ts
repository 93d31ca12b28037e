import type { Cache } from '#platform/cache/cache'
import type { Log } from '#platform/log'
import { acknowledge, type Run } from './change-log-store.ts'
import { acknowledgement, type Notified } from './invalidation.ts'

/**
 * The delay after which changes that a renewal found are acknowledged together: their notification was lost, and a
 * writer may be waiting. It requests other acknowledgements at once.
 */
const afterMs = 20

/** Carries acknowledgements to processes that wait. */
export type AcknowledgementCache = Pick<Cache, 'isUp' | 'publish' | 'subscribe'>

/** Returns the channel of the cache in which a lease receives acknowledgements. */
export const acknowledgementsFor = (lease: string) => `acknowledgements:${lease}`

interface AcknowledgementsDeps {
  readonly run: Run
  readonly lease: string
  /** Returns the latest snapshot with all changes applied. */
  readonly applied: () => string
  readonly isOver: () => boolean
  /** Called when an acknowledgement could not be written. */
  readonly failed: () => void
  /** A cache that other processes do not share is none. */
  readonly cache: AcknowledgementCache | undefined
  readonly log: Pick<Log, 'error'>
}

/** Acknowledges the changes that one lease has applied, in its row or through the cache. */
export class Acknowledgements {
  readonly #deps: AcknowledgementsDeps
  /** True while changes are applied that the row does not acknowledge. */
  #isDue = false
  #isWriting = false
  #timer: NodeJS.Timeout | undefined

  constructor(deps: AcknowledgementsDeps) {
    this.#deps = deps
  }

  /** Notes that changes were applied. */
  applied(): void {
    this.#isDue = true
  }

  /** Notes that a renewal, sent in this step, acknowledges in the row all that is applied. */
  renewing(): void {
    this.#isDue = false
  }

  writeSoon(): void {
    if (this.#timer || !this.#isDue) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (!this.#deps.isOver()) this.#write()
    }, afterMs).unref()
  }

  /** Acknowledges to a writer that waits: all applied changes, also those applied before. */
  reply(notified: Notified | undefined): void {
    const { applied, cache, lease } = this.#deps
    if (notified?.kind === 'invalidation' && notified.isQuick && cache?.isUp())
      void cache.publish(acknowledgementsFor(notified.from), acknowledgement(lease, applied()))
    else this.#write()
  }

  #write(): void {
    if (this.#isWriting || !this.#isDue) return
    const { applied, failed, lease, log, run } = this.#deps
    this.#isWriting = true
    this.#isDue = false
    acknowledge(run, lease, applied())
      .then(() => {
        this.#isWriting = false
        this.#write()
      }, failed)
      .catch((err: unknown) => log.error({ err }, 'change acknowledgment failed: internal error'))
  }
}
