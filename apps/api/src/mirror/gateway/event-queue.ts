import type { ChatEvent, EventPosition } from '#chat/chat-gateway'

/** The maximum number of waiting events. With more, reading a server again is faster than writing all its events. */
const maxWaiting = 50_000

/** An event, its position in the platform's stream, and its arrival time. */
export interface Received {
  readonly event: ChatEvent
  readonly at: EventPosition
  readonly receivedAt: number
}

interface ServerQueue {
  waiting: Received[]
  /**
   * The number of received events, and the number of written or dropped events. Both counts follow the order of the
   * events, so a count identifies the events.
   */
  received: number
  settled: number
}

/**
 * Queues events between the connection and the database: in order within a server, and in turns between servers, so
 * that a mass departure in one server does not delay events of another.
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
    /** Adds an event. If there are too many, drops the waiting events of one server and returns its ID. */
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
    /** Removes the next events from the queue and returns them: an equal number of the first events of each server. */
    take(count: number): Received[] {
      const busy = [...servers.values()].filter(({ waiting }) => waiting.length > 0)
      const share = Math.ceil(count / Math.max(1, busy.length))
      const taken = busy.flatMap(({ waiting }) => waiting.splice(0, share))
      size -= taken.length
      return taken
    },
    /** Marks events as written or dropped, so that no caller waits for them. */
    settle(written: readonly Received[]): void {
      for (const { event } of written) queueOf(event.serverId).settled += 1
    },
    size: () => size,
    servers: () => [...servers.keys()],
    /** Returns the arrival time of the oldest waiting event. */
    oldestAt: () => {
      const firsts = [...servers.values()].flatMap(({ waiting }) => waiting[0]?.receivedAt ?? [])
      return firsts.length === 0 ? undefined : firsts.reduce((a, b) => Math.min(a, b))
    },
    received: (serverId: string) => servers.get(serverId)?.received ?? 0,
    settled: (serverId: string) => servers.get(serverId)?.settled ?? 0,
  }
}
