import type { Cluster, Redis } from 'ioredis'
import { Channels } from './channels.ts'
import { connect } from './redis-connection.ts'

/** Receives the messages of cache channels. */
export interface Subscriber {
  subscribe(channel: string, listener: (message: string) => void): () => void
  /** Replaces the connection. A server that hangs gives no sign that it no longer delivers messages. */
  reset(): void
  close(): void
}

/**
 * Creates a subscriber with a connection of its own, which is opened for the first subscription: older servers and
 * proxies accept no other commands on a connection with subscriptions. Every new connection subscribes to all current
 * channels. A channel that is added later is subscribed immediately, or by the next connection.
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
