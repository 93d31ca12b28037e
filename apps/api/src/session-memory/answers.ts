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
import { FactCache, type Loading } from './fact-cache.ts'
import { type Read, readUncached } from './facts-of-rows.ts'
import { type Item, readFacts } from './facts-store.ts'
import { type HostRule, hostRulesReader } from './host-rules-store.ts'
import { type Deliver, Lease, type LeaseTiming, leaseTiming } from './lease.ts'
import { LocalLease } from './local-lease.ts'
import { type ScopeItem, scopesReader } from './scopes-store.ts'
import type { CachedRoles } from './server-members.ts'
import { type MemberItem, readServerMembers, type ServerMemberRead } from './server-members-store.ts'
import type { Session } from './session.ts'

/** Replacements for tests. */
export interface AnswersOptions {
  readonly clock?: Clock
  readonly timing?: LeaseTiming
  /** Delivers a notification or an acknowledgement. Tests replace it to delay or lose messages. */
  readonly deliver?: Deliver
}

/**
 * The cache from which this process serves keys, sessions, and other facts. It is usable only while the process holds a
 * valid lease (see `lease.ts`). A method that requires a valid lease must be called in the same synchronous step as
 * `leasedNowMs()`, because the lease can end during any `await`.
 */
export interface Answers {
  /** Begins to acquire and renew the lease. Without a valid lease, every read goes to the database. */
  start(): void
  close(): Promise<void>
  /**
   * Returns the database's time if the lease is valid, or undefined. The time may be slightly ahead of the database's
   * clock, but never behind it.
   */
  leasedNowMs(): number | undefined
  /** Returns true if the lease is valid during this synchronous step. */
  isLeased(): boolean
  /** Returns the project of a cached, valid key. Requires a valid lease, and the time from `leasedNowMs`. */
  findKeyProject(digest: string, nowMs: number): string | undefined
  /**
   * Returns a cached session. Requires a valid lease. The caller compares `expiresAtMs` with the time from
   * `leasedNowMs`.
   */
  findSession(tokenDigest: string): Session | undefined
  /** Reads from the database. The read begins after the call, so it sees all earlier writes. */
  read(item: Item): Promise<Read>
  /** Reads the caller of a session endpoint from the database, without the facts of a response. Caches nothing. */
  readCaller(tokenDigest: string): Promise<SessionCaller | undefined>
  /**
   * Returns the roles of a member of a server, if the member or a session of the member is cached. Requires a valid
   * lease, and the time from `leasedNowMs`.
   */
  findHeldRoles(item: MemberItem, nowMs: number): CachedRoles | undefined
  /**
   * Returns a cached member of a server as JSON, without the roles, which `findHeldRoles` returns. Requires a valid
   * lease.
   */
  findServerMemberProfile(item: MemberItem): string | undefined
  /**
   * Reads a member of a server from the database. Caches the result, unless the person is blocked or not a member.
   */
  readServerMember(item: MemberItem): Promise<ServerMemberRead>
  /**
   * Reads many members as `readServerMember` does, with a statement of their own, so that other reads need not wait for
   * them.
   */
  readServerMembers(items: readonly MemberItem[]): Promise<ServerMemberRead[]>
  /**
   * Returns true if the project has this scope in this server, because its access includes it or because the project is
   * internal and the server is the main one.
   */
  hasScope(item: ScopeItem, scope: string): Promise<boolean>
  /** Returns true if the cached access includes this scope. Requires a valid lease. */
  hasCachedScope(item: ScopeItem, scope: string): boolean
  /**
   * Returns the access rule of a protected host, or undefined if no project owns the host. Returns a cached rule
   * without a promise.
   */
  findHostRule(host: string): HostRule | Promise<HostRule | undefined>
  /** Returns a cached rule. Requires a valid lease. */
  findCachedHostRule(host: string): HostRule | undefined
  /** Returns a cached access token. Requires a valid lease, and the time from `leasedNowMs`. */
  findAccessToken(digest: string, nowMs: number): AccessToken | undefined
  /** Reads an access token from the database, and caches it unless it has expired. */
  readAccessToken(digest: string): Promise<AccessTokenRow | undefined>
  /**
   * Returns the version of the stored settings at the last read of the change log, about half a second ago. Returns
   * undefined without a valid lease.
   */
  settingsVersion(): number | undefined
  /** Returns the number of processes that held a lease at the last read of the change log, including this one. */
  countInstances(): number
  /** Returns how many times this process may have written to the database. */
  writes(): number
  /**
   * Records that this process may have written to the database. Other processes are notified within milliseconds, even
   * if no caller waits for them.
   */
  recordWrite(): void
  /**
   * Waits until no process serves data that is older than the changes before this call. Each other process has then
   * acknowledged the changes, or its lease has ended. Never rejects. With PostgreSQL, waits no longer than the duration
   * of a lease.
   */
  confirm(): Promise<void>
}

interface AnswersDeps {
  readonly db: Database
  readonly cache?: AcknowledgementCache & Pick<Cache, 'kind'>
  readonly log: Pick<Log, 'debug' | 'info' | 'warn' | 'error'>
  readonly maxBytes: number
  /** The server that decides who is a System Admin while there is no main server. */
  readonly configuredServerId: string | undefined
}

/** Creates the cache of this process, with its lease and the confirmation of writes. */
export function createAnswers(
  { db, cache, log, maxBytes, configuredServerId }: AnswersDeps,
  {
    clock = systemClock,
    timing = leaseTiming,
    deliver = (payload, receive) => receive(payload),
  }: AnswersOptions = {},
): Answers {
  const memory = new FactCache(maxBytes)
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
      const stored = !loading.wasCleared && isLeased() ? memory.store(items, rows, loading) : undefined
      if (stored) return stored
    } finally {
      memory.endLoading(loading)
    }
    // The read omitted roles that were cached, but these have been evicted: the lease ended, or a server changed. Reads
    // again, with all roles.
    return readUncached(items, await readFacts(db, items, [], configuredServerId))
  }

  /**
   * Reads, and caches the result if the lease is still valid. `store` must also apply the changes that arrived during
   * the read.
   */
  const readAndCache = async <T>(
    read: () => Promise<T>,
    store: (found: T, loading: Loading) => void,
  ): Promise<T> => {
    const loading = isLeased() ? memory.beginLoading() : undefined
    try {
      const found = await read()
      if (loading && !loading.wasCleared && isLeased()) store(found, loading)
      return found
    } finally {
      if (loading) memory.endLoading(loading)
    }
  }

  const readScopes = scopesReader(db)
  const hasScope = async (item: ScopeItem, scope: string): Promise<boolean> => {
    const scopes = isLeased() ? memory.scopes.get(item) : undefined
    if (scopes) return scopes.includes(scope)
    const row = await readAndCache(
      () => readScopes(item),
      (found, loading) => memory.storeScopes(item, found, loading),
    )
    return row.isReadable && (!row.isMapped || row.scopes.includes(scope))
  }

  const loadServerMembers = (run: Database['batched']) => (items: readonly MemberItem[]) =>
    readAndCache(
      () => readServerMembers(run, items),
      (found, loading) => memory.storeServerMembers(items, found, loading),
    )

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
    findKeyProject: (digest, nowMs) => memory.findKeyProject(digest, nowMs),
    findSession: (tokenDigest) => memory.findSession(tokenDigest),
    read: batcher(load, db.maxBatchesAtOnce),
    readCaller: sessionCallersReader(db),
    findHeldRoles: (item, nowMs) => memory.findHeldRoles(item, nowMs),
    findServerMemberProfile: (item) => memory.serverMembers.get(item)?.profile,
    readServerMember: batcher(loadServerMembers(db.batched), db.maxBatchesAtOnce),
    readServerMembers: loadServerMembers(db.query),
    hasScope,
    hasCachedScope: (item, scope) => memory.scopes.get(item)?.includes(scope) ?? false,
    findCachedHostRule: (host) => memory.hostRules.get(host),
    findHostRule: (host) => (isLeased() ? memory.hostRules.get(host) : undefined) ?? loadHostRule(host),
    findAccessToken: (digest, nowMs) => memory.accessTokens.get(digest, nowMs),
    readAccessToken,
    settingsVersion: () => (isLeased() ? memory.settingsVersion : undefined),
    countInstances: () => (lease instanceof Lease ? lease.holders.size + 1 : 1),
    writes: () => confirmation.writes,
    recordWrite: () => confirmation.recordWrite(),
    confirm: () => confirmation.confirm(),
  }
}
