import type { ChatEvent, ToldAt } from '#chat/chat-gateway'

/** More than this cannot be caught up with: reading a server anew is quicker, and bounded. */
const maxWaiting = 50_000

/** An event, where it was in what the platform told, and when it came here. */
export interface Received {
  readonly event: ChatEvent
  readonly at: ToldAt
  readonly receivedAt: number
}

interface ServerQueue {
  waiting: Received[]
  /** How many were received, and how many of them are written or forgotten: in their order, so a count says which. */
  received: number
  settled: number
}

/**
 * Events between the connection and the database: in their order within a server, and in turns between servers, so
 * that a mass departure in one of them delays nothing in another.
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
    /** Answers the server whose waiting events were forgotten, when there are too many. */
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
    /** The next events, out of the queue and into the caller's hands: an equal share of each server's first ones. */
    take(count: number): Received[] {
      const busy = [...servers.values()].filter(({ waiting }) => waiting.length > 0)
      const share = Math.ceil(count / Math.max(1, busy.length))
      const taken = busy.flatMap(({ waiting }) => waiting.splice(0, share))
      size -= taken.length
      return taken
    },
    /** These are written, or given up: nobody waits for them any more. */
    settle(written: readonly Received[]): void {
      for (const { event } of written) queueOf(event.serverId).settled += 1
    },
    size: () => size,
    servers: () => [...servers.keys()],
    /** When the oldest of those that wait came here. */
    oldestAt: () => {
      const firsts = [...servers.values()].flatMap(({ waiting }) => waiting[0]?.receivedAt ?? [])
      return firsts.length === 0 ? undefined : firsts.reduce((a, b) => Math.min(a, b))
    },
    received: (serverId: string) => servers.get(serverId)?.received ?? 0,
    settled: (serverId: string) => servers.get(serverId)?.settled ?? 0,
  }
}
