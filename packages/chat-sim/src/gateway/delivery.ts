export interface DeliveryQuirks {
  delayMs: number
  isDoubled: boolean
  /** The number of the next events to drop. */
  toLose: number
  isReordered: boolean
}

/** The settings without faults. */
export const flawless: DeliveryQuirks = { delayMs: 0, isDoubled: false, toLose: 0, isReordered: false }

/** The maximum time, in milliseconds, for which an event waits until a later one overtakes it. */
const overtakingMs = 200

/**
 * Delivers events with the given faults. This happens before the events get their sequence numbers. So resuming a
 * session does not recover an event that is lost here.
 */
export function createDelivery<Event>(quirks: DeliveryQuirks, deliver: (event: Event) => void) {
  let waiting: { event: Event; timer: NodeJS.Timeout } | undefined

  function release(): void {
    if (!waiting) return
    const { event, timer } = waiting
    waiting = undefined
    clearTimeout(timer)
    deliver(event)
  }

  function pass(event: Event): void {
    if (quirks.isReordered && !waiting) {
      waiting = { event, timer: setTimeout(release, overtakingMs).unref() }
      return
    }
    deliver(event)
    if (quirks.isDoubled) deliver(event)
    release()
  }

  return (event: Event): void => {
    if (quirks.toLose > 0) {
      quirks.toLose--
      return
    }
    if (quirks.delayMs > 0) setTimeout(() => pass(event), quirks.delayMs).unref()
    else pass(event)
  }
}
