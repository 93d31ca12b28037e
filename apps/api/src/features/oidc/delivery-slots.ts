/** Tries that are awaited: whoever has none of these places is told later. */
const maxPrompt = 32
/** Tries at addresses that are known to be slow: these hold up nobody but each other. */
const maxSlow = 128
/** Of one host, which may hang with all of them: the rest is for others. */
const maxOfHost = 4
/** A client has a second to hear of an end; whoever takes half of it holds others up. */
const slowMs = 500

interface Host {
  running: number
  isSlow: boolean
}

/**
 * Who is told at once. Hosts that hang take no place from others: a try that is slow gives its place back and goes on beside,
 * and the next ones at that host begin there, until one is answered promptly.
 */
export function createDeliverySlots() {
  const hosts = new Map<string, Host>()
  let prompt = 0
  let slow = 0
  return {
    /** How many more may be taken, of one host at most. */
    free: () => Math.min(maxOfHost, maxPrompt - prompt),
    /** Hosts of which none may be taken now. */
    busy: () =>
      [...hosts]
        .filter(([, { running, isSlow }]) => running >= maxOfHost || (isSlow && slow >= maxSlow))
        .map(([name]) => name),
    /** Takes a place for a try at a host; what gives it back. */
    take(name: string): () => void {
      const host = hosts.get(name) ?? { running: 0, isSlow: false }
      hosts.set(name, host)
      host.running += 1
      let isInSlowLane = host.isSlow
      let isLate = false
      const count = (by: 1 | -1) => {
        if (isInSlowLane) slow += by
        else prompt += by
      }
      count(1)
      const timer = setTimeout(() => {
        count(-1)
        isInSlowLane = isLate = host.isSlow = true
        count(1)
      }, slowMs).unref()
      return () => {
        clearTimeout(timer)
        count(-1)
        host.running -= 1
        host.isSlow = isLate
        if (host.running === 0 && !isLate) hosts.delete(name)
      }
    },
  }
}
