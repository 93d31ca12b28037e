import type { Cache } from '#platform/cache/cache'
import { batcher } from '#platform/db/batcher'
import type { Database } from '#platform/db/database'
import type { Log } from '#platform/log'
import type { AccessToken } from './access-tokens.ts'
import { type AccessTokenRow, accessTokensReader } from './access-tokens-store.ts'
import type { AcknowledgementCache } from './acknowledgements.ts'
import { type SessionCaller, sessionCallersReader } from './callers-store.ts'
import { type Clock, systemClock } from './clock.ts'
import { Confirmation } from './confirmation.ts'
import { type Item, readFacts } from './facts-store.ts'
import { type HostRule, hostRulesReader } from './host-rules-store.ts'
import { type Deliver, Lease, type LeaseTiming, leaseTiming } from './lease.ts'
import { LocalLease } from './local-lease.ts'
import { type CachedMember, type Loading, Memory, type Read, readUncached } from './memory.ts'
import { type ScopeItem, scopesReader } from './scopes-store.ts'
import type { Session } from './session.ts'

export interface AnswersOptions {
  readonly clock?: Clock
  readonly timing?: LeaseTiming
  /** Delays or loses notifications and acknowledgements before they take effect. */
  readonly deliver?: Deliver
}

/** Caches keys, sessions, and other facts. They may be used while this process holds a valid lease. */
export interface Answers {
  /** Starts to hold a lease. Without a valid lease, every read is from the database. */
  start(): void
  close(): Promise<void>
  /**
   * Returns the time of the database if the lease is valid, or undefined. The time may be slightly ahead of its clock,
   * but never behind it. Call it in the same synchronous step that uses the cache.
   */
  leasedNowMs(): number | undefined
  /** Returns true if the lease is valid, so that this synchronous step may use the cache. */
  isLeased(): boolean
  /**
   * Returns the project of a cached, valid key. Only in a step in which `leasedNowMs` returns a time, with that time.
   */
  key(digest: string, nowMs: number): string | undefined
  /** Returns a cached, live session. Only in a step in which `leasedNowMs` returns a time. */
  session(tokenDigest: string): Session | undefined
  /** Reads from the database, in a read that begins after the call. */
  read(item: Item): Promise<Read>
  /** Reads the member of a live session from the database, and caches nothing. */
  readCaller(tokenDigest: string): Promise<SessionCaller | undefined>
  /** Returns a member with a cached session. Only in a step in which `leasedNowMs` returns a time, with that time. */
  member(serverId: string, memberId: string, nowMs: number): CachedMember | undefined
  /**
   * Returns true if the project has this scope in this server: through its access, or as an internal project in the
   * main server.
   */
  hasScope(asked: ScopeItem, scope: string): Promise<boolean>
  /** Returns the rule of a protected host; undefined if no project owns the host. Synchronous for a cached rule. */
  hostRule(host: string): HostRule | Promise<HostRule | undefined>
  /** Returns a cached rule. Only in a step in which `leasedNowMs` returns a time. */
  cachedHostRule(host: string): HostRule | undefined
  /** Returns a cached access token. Only in a step in which `leasedNowMs` returns a time, with that time. */
  accessToken(digest: string, nowMs: number): AccessToken | undefined
  /** Reads the record of an access token from the database, and caches it. */
  readAccessToken(digest: string): Promise<AccessTokenRow | undefined>
  /**
   * Returns the version of the stored settings, read about half a second ago; undefined while the lease is not valid.
   */
  settingsVersion(): number | undefined
  /** Returns the number of processes with a lease, this one included, at the last read of the change log. */
  instances(): number
  /** Returns the number of possible writes of this process. */
  writes(): number
  /** Records a possible write of this process. Other processes are notified soon, even if no caller waits. */
  recordWrite(): void
  /**
   * Settles when no process serves data from before a change that preceded the call: each has acknowledged the change,
   * or no longer holds a lease. Never rejects, and takes no longer than a lease.
   */
  confirm(): Promise<void>
}

interface AnswersDeps {
  readonly db: Database
  readonly cache?: AcknowledgementCache & Pick<Cache, 'kind'>
  readonly log: Pick<Log, 'debug' | 'info' | 'warn' | 'error'>
  readonly maxBytes: number
  /** The server that decides about System Admins while there is no main server. */
  readonly configuredServerId: string | undefined
}

export function createAnswers(
  { db, cache, log, maxBytes, configuredServerId }: AnswersDeps,
  {
    clock = systemClock,
    timing = leaseTiming,
    deliver = (payload, receive) => receive(payload),
  }: AnswersOptions = {},
): Answers {
  const memory = new Memory(maxBytes)
  const lease = db.dedicate
    ? new Lease({
        ...{ memory, log, clock, timing, deliver },
        dedicate: db.dedicate,
        cache: cache?.kind === 'redis' ? cache : undefined,
      })
    : new LocalLease({ db, memory, log, clock, everyMs: timing.renewEveryMs })
  const confirmation = new Confirmation({ db, lease, log, clock, leaseMs: timing.leaseMs })

  const leasedNowMs = () => {
    const monotonicMs = clock.monotonicMs()
    return lease.isValidAt(monotonicMs) ? memory.nowMs(monotonicMs) : undefined
  }
  const isLeased = () => leasedNowMs() !== undefined

  const load = async (items: Item[]): Promise<Read[]> => {
    const loading = isLeased() ? memory.beginLoading() : undefined
    if (!loading) return readUncached(items, await readFacts(db, items, [], configuredServerId))
    try {
      const rows = await readFacts(db, items, loading.knownServers, configuredServerId)
      const stored = !loading.isVoid && isLeased() ? memory.store(items, rows, loading) : undefined
      if (stored) return stored
    } finally {
      memory.endLoading(loading)
    }
    // The cached roles that the read left out are gone, because the lease ended or a server changed. Reads them, too.
    return readUncached(items, await readFacts(db, items, [], configuredServerId))
  }

  /**
   * Reads, and caches the result if the lease is still valid. `store` must apply the changes that arrived meanwhile.
   */
  const readAndCache = async <T>(
    read: () => Promise<T>,
    store: (found: T, loading: Loading) => void,
  ): Promise<T> => {
    const loading = isLeased() ? memory.beginLoading() : undefined
    try {
      const found = await read()
      if (loading && !loading.isVoid && isLeased()) store(found, loading)
      return found
    } finally {
      if (loading) memory.endLoading(loading)
    }
  }

  const readScopes = scopesReader(db)
  const hasScope = async (asked: ScopeItem, scope: string): Promise<boolean> => {
    const scopes = isLeased() ? memory.scopes.get(asked) : undefined
    if (scopes) return scopes.includes(scope)
    const row = await readAndCache(
      () => readScopes(asked),
      (found, loading) => memory.storeScopes(asked, found, loading),
    )
    return row.isReadable && (!row.isMapped || row.scopes.includes(scope))
  }

  const readHostRule = hostRulesReader(db, configuredServerId)
  const loadHostRule = (host: string): Promise<HostRule | undefined> =>
    readAndCache(
      () => readHostRule(host),
      (rule, loading) => {
        if (rule) memory.storeHostRule(host, rule, loading)
      },
    )

  const readToken = accessTokensReader(db, configuredServerId)
  const readAccessToken = (digest: string): Promise<AccessTokenRow | undefined> =>
    readAndCache(
      () => readToken(digest),
      (row, loading) => {
        if (row && !row.isExpired) memory.storeAccessToken(digest, row, loading)
      },
    )

  return {
    start: () => lease.start(),
    close: async () => {
      confirmation.close()
      await lease.close()
    },
    leasedNowMs,
    isLeased,
    key: (digest, nowMs) => memory.key(digest, nowMs),
    session: (tokenDigest) => memory.session(tokenDigest),
    read: batcher(load, db.maxBatchesAtOnce),
    readCaller: sessionCallersReader(db),
    member: (serverId, memberId, nowMs) => memory.member(serverId, memberId, nowMs),
    hasScope,
    cachedHostRule: (host) => memory.hostRules.get(host),
    hostRule: (host) => (isLeased() ? memory.hostRules.get(host) : undefined) ?? loadHostRule(host),
    accessToken: (digest, nowMs) => memory.accessTokens.get(digest, nowMs),
    readAccessToken,
    settingsVersion: () => (isLeased() ? memory.settingsVersion : undefined),
    instances: () => (lease instanceof Lease ? lease.holders.size + 1 : 1),
    writes: () => confirmation.writes,
    recordWrite: () => confirmation.recordWrite(),
    confirm: () => confirmation.confirm(),
  }
}
