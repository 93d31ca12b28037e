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

/** Adds to a counter and sets its expiry. It is a script, so that no counter is ever without an expiry. */
const countInWindow = `
local total = redis.call('INCRBY', KEYS[1], ARGV[1])
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return total
`

/** Adds to a counter up to a limit, and sets the expiry of a new counter. */
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

/**
 * Subtracts from a counter. Does not create a missing one, because a counter below zero would admit more than the
 * limit.
 */
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
  // A count that is sent again after a reconnect could be counted twice.
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
  // By measurement, automatic pipelining makes 64 concurrent reads 50 % faster, and a single one a third slower
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
      // The interval at which the assignment of keys to nodes is read again. No node reports by itself that another
      // node is down.
      slotsRefreshInterval: 5_000,
      // Requests a key that has moved from its new node. Does not retry after a lost connection, because the command
      // may have been executed.
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
