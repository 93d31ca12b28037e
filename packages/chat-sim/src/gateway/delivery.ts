export interface DeliveryQuirks {
  delayMs: number
  isDoubled: boolean
  /** How many of the next events nobody hears of. */
  toLose: number
  isReordered: boolean
}

export const flawless: DeliveryQuirks = { delayMs: 0, isDoubled: false, toLose: 0, isReordered: false }

/** An event that waits for a later one to overtake it goes by itself after this time. */
const overtakingMs = 200

/**
 * Hands events on as well or as badly as the quirks say. It comes before they get their numbers: what is
 * lost here is missing for good, and coming back to a session does not bring it.
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
