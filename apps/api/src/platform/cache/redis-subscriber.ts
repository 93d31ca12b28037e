import type { Cluster, Redis } from 'ioredis'
import { Channels } from './channels.ts'
import { connect } from './redis-connection.ts'

export interface Subscriber {
  subscribe(channel: string, listener: (message: string) => void): () => void
  /** Drops the connection for a new one: a hung server does not say that it no longer delivers. */
  reset(): void
  close(): void
}

/**
 * Listens on a connection of its own, opened with the first subscription, so that older servers and proxies
 * work too, where a subscribed connection can do nothing else.
 *
 * What should be subscribed is `channels`. Each new connection asks for all of it; a channel added or given up
 * in between is asked for at once when there is a connection, and otherwise left to the next one.
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
