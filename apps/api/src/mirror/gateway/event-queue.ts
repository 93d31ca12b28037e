import type { ChatEvent, EventPosition } from '#chat/chat-gateway'

/** The maximum number of waiting events. With more, it is faster to read a server again than to write its events. */
const maxWaiting = 50_000

/** An event with its position in Discord's stream, and the time of its arrival (monotonic clock). */
export interface Received {
  readonly event: ChatEvent
  readonly at: EventPosition
  readonly receivedAt: number
}

interface ServerQueue {
  waiting: Received[]
  /**
   * The number of events that were received, and how many of them were written or dropped. Both follow the order of the
   * events, so an event is done once `settled` reaches the number that `received` had at its arrival.
   */
  received: number
  settled: number
}

/**
 * Creates the queue between the gateway connection and the database. Events of a server stay in order. Servers take
 * turns, so that a mass departure in one server does not delay the others.
 */
export function createEventQueue() {
  const servers = new Map<string, ServerQueue>()
  let size = 0

  const queueOf = (serverId: string): ServerQueue => {
    const queue = servers.get(serverId) ?? { waiting: [], received: 0, settled: 0 }
    servers.set(serverId, queue)
    return queue
  }
  const longest = () => [...servers].reduce((a, b) => (b[1].waiting.length > a[1].waiting.length ? b : a))

  return {
    /**
     * Adds an event. If there are too many, drops all waiting events of the server with the most, and returns its ID.
     */
    push(received: Received): string | undefined {
      const queue = queueOf(received.event.serverId)
      queue.waiting.push(received)
      queue.received += 1
      size += 1
      if (size <= maxWaiting) return undefined
      const [serverId, fullest] = longest()
      size -= fullest.waiting.length
      fullest.settled += fullest.waiting.length
      fullest.waiting = []
      return serverId
    },
    /** Removes about `count` events, equally many of each server, and returns them. */
    dequeue(count: number): Received[] {
      const busy = [...servers.values()].filter(({ waiting }) => waiting.length > 0)
      const share = Math.ceil(count / Math.max(1, busy.length))
      const taken = busy.flatMap(({ waiting }) => waiting.splice(0, share))
      size -= taken.length
      return taken
    },
    /** Marks events as written or dropped. Callers that wait for them can continue. */
    markSettled(written: readonly Received[]): void {
      for (const { event } of written) queueOf(event.serverId).settled += 1
    },
    size: () => size,
    servers: () => [...servers.keys()],
    /** Returns the arrival time of the oldest waiting event, or undefined if there is none. */
    oldestAt: () => {
      const firsts = [...servers.values()].flatMap(({ waiting }) => waiting[0]?.receivedAt ?? [])
      return firsts.length === 0 ? undefined : firsts.reduce((a, b) => Math.min(a, b))
    },
    countReceived: (serverId: string) => servers.get(serverId)?.received ?? 0,
    countSettled: (serverId: string) => servers.get(serverId)?.settled ?? 0,
  }
}
