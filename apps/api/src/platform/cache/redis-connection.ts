import { Cluster, Redis, type RedisOptions, type Result } from 'ioredis'
import { backOffMs } from '#platform/async'
import { type Host, readCacheUrl } from './cache-url.ts'

declare module 'ioredis' {
  interface RedisCommander<Context> {
    countInWindow(key: string, by: number, windowMs: number): Result<unknown, Context>
    countUpTo(
      key: string,
      by: number,
      limit: number,
      from: number,
      windowMs: number,
    ): Result<unknown, Context>
    giveBack(key: string, by: number): Result<unknown, Context>
  }
}

/** Atomic because it is a script: no other client sees the counter without its expiry, even if this process dies. */
const countInWindow = `
local total = redis.call('INCRBY', KEYS[1], ARGV[1])
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return total
`

/** Writes only the added part, with its expiry. */
const countUpTo = `
local known = redis.call('GET', KEYS[1])
local total = tonumber(known or ARGV[3])
local counted = math.max(0, math.min(tonumber(ARGV[1]), tonumber(ARGV[2]) - total))
if counted > 0 then
  total = redis.call('INCRBY', KEYS[1], known and counted or total + counted)
  if not known then redis.call('PEXPIRE', KEYS[1], ARGV[4]) end
end
return { counted, total }
`

/** Does not create a missing counter: a counter below zero would allow more than its limit. */
const giveBack = `
local total = tonumber(redis.call('GET', KEYS[1]) or '0')
local by = math.min(tonumber(ARGV[1]), total)
if by > 0 then redis.call('DECRBY', KEYS[1], by) end
return by
`

const scripts = {
  countInWindow: { lua: countInWindow, numberOfKeys: 1 },
  countUpTo: { lua: countUpTo, numberOfKeys: 1 },
  giveBack: { lua: giveBack, numberOfKeys: 1 },
}

const retryStrategy = (attempt: number) => backOffMs(attempt, { firstMs: 50, maxMs: 400 })

/**
 * Settings that make a connection fail immediately instead of waiting. With the client's defaults, a request waits 15 s
 * for a hanging server. The client reconnects forever, and the limits below detect a server's return within 1 s.
 */
const limits = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  // A count that was sent again after a reconnect would be counted twice.
  autoResendUnfulfilledCommands: false,
  // The subscriber keeps its own list.
  autoResubscribe: false,
  // The breaker's probe tests more than INFO does.
  enableReadyCheck: false,
  disableClientInfo: true,
  connectTimeout: 500,
  // Applies only to the greeting. All other commands have the breaker's shorter deadline.
  commandTimeout: 500,
  disconnectTimeout: 100,
  // By measurement, automatic pipelining makes 64 concurrent reads half as fast again, and a single one a third slower
  // with a worse tail. Callers with many requests, such as the rate limiter, batch them themselves.
  enableAutoPipelining: false,
  retryStrategy,
} satisfies RedisOptions

/** Connects to the address in CACHE_URL. */
export function connect(url: string): Redis | Cluster {
  const redis = open(url)
  // Without a listener the client prints every failed attempt on stderr.
  redis.on('error', () => {})
  return redis
}

function open(url: string): Redis | Cluster {
  const address = readCacheUrl(url)
  if (address?.kind === 'sentinel') {
    const { hosts, name, db, isEncrypted } = address
    return new Redis({
      ...limits,
      ...credentialsOf(address),
      scripts,
      db,
      sentinels: [...hosts],
      name,
      sentinelCommandTimeout: limits.commandTimeout,
      sentinelRetryStrategy: retryStrategy,
      ...(isEncrypted && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
    })
  }
  if (address?.kind === 'cluster') {
    const { retryStrategy: clusterRetryStrategy, ...perNode } = limits
    return new Cluster([...address.hosts], {
      scripts,
      enableOfflineQueue: false,
      enableReadyCheck: false,
      clusterRetryStrategy,
      slotsRefreshTimeout: limits.connectTimeout,
      // The interval at which the nodes of all keys are read again. Without a request, no node reports that another
      // node is down.
      slotsRefreshInterval: 5_000,
      // A key that has moved is requested from its new node; after a broken connection the count may have happened, so
      // it is not retried.
      maxRedirections: 3,
      retryDelayOnFailover: 0,
      redisOptions: { ...perNode, ...credentialsOf(address), ...(address.isEncrypted && { tls: {} }) },
    })
  }
  return new Redis(withoutQuery(url), { ...limits, scripts })
}

const credentialsOf = ({
  username,
  password,
}: {
  username: string | undefined
  password: string | undefined
}) => ({
  ...(username !== undefined && { username }),
  ...(password !== undefined && { password }),
})

/** Returns server and database in a form that is safe for logs. */
export function nameOf(url: string): string {
  const address = readCacheUrl(url)
  if (address?.kind === 'sentinel') return `${address.name} of the sentinels ${listed(address.hosts)}`
  if (address?.kind === 'cluster') return `cluster of ${listed(address.hosts)}`
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
}

const listed = (hosts: readonly Host[]) => hosts.map(({ host, port }) => `${host}:${port}`).join(', ')

/**
 * Removes the query of a URL, because the client reads options from the query, which would override the options above.
 */
function withoutQuery(url: string): string {
  const stripped = new URL(url)
  stripped.search = ''
  return stripped.href
}
