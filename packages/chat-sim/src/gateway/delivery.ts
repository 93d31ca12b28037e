export interface DeliveryQuirks {
  delayMs: number
  isDoubled: boolean
  /** The number of next events to drop. */
  toLose: number
  isReordered: boolean
}

export const flawless: DeliveryQuirks = { delayMs: 0, isDoubled: false, toLose: 0, isReordered: false }

/** An event that waits for a later one to overtake it is sent after this time, in milliseconds. */
const overtakingMs = 200

/**
 * Delivers events with the given faults, before they get their numbers: an event that is lost here is missing for good,
 * and resuming a session does not recover it.
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
