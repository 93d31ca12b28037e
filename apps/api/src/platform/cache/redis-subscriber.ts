import type { Cluster, Redis } from 'ioredis'
import { Channels } from './channels.ts'
import { connect } from './redis-connection.ts'

export interface Subscriber {
  subscribe(channel: string, listener: (message: string) => void): () => void
  /** Replaces the connection, because a hanging server does not report that it no longer delivers. */
  reset(): void
  close(): void
}

/**
 * Subscribes on a separate connection, which opens with the first subscription. Older servers and proxies allow no
 * other commands on a subscribed connection. `channels` holds the current subscriptions. Each new connection subscribes
 * to all of them. A channel that is added or removed later is subscribed or unsubscribed immediately, or by the next
 * connection if there is none.
 */
export function createSubscriber(url: string): Subscriber {
  const channels = new Channels()
  let redis: Redis | Cluster | undefined

  function open(): Redis | Cluster {
    const opened = connect(url)
    opened.on('ready', () => listen(opened, channels.names()))
    opened.on('message', (channel: string, message: string) => channels.deliver(channel, message))
    return opened
  }

  return {
    subscribe(channel, listener) {
      const isFirst = !channels.has(channel)
      const end = channels.add(channel, listener)
      redis ??= open()
      if (isFirst && redis.status === 'ready') listen(redis, [channel])
      return () => {
        end()
        if (!channels.has(channel) && redis?.status === 'ready') redis.unsubscribe(channel).catch(() => {})
      }
    },

    reset: () => redis?.disconnect(true),

    close() {
      channels.clear()
      redis?.disconnect()
    },
  }
}

function listen(redis: Redis | Cluster, channels: string[]): void {
  if (channels.length > 0) redis.subscribe(...channels).catch(() => redis.disconnect(true))
}
