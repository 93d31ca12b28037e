import type { GroupRule } from '#responses/groups'
import { heldWithJson, type Roles, toRoles } from '#responses/roles'
import { AccessTokens } from './access-tokens.ts'
import type { AccessTokenRow } from './access-tokens-store.ts'
import { accessId, type Change, membershipId } from './change.ts'
import type { LogSnapshot } from './change-log-store.ts'
import { type Fact, Facts } from './facts.ts'
import { type Read, toMemberFact, toMembershipFact, toServerFact } from './facts-of-rows.ts'
import type { FactRows, Item, ItemRow } from './facts-store.ts'
import { HostRules } from './host-rules.ts'
import type { HostRule } from './host-rules-store.ts'
import { RecentSessions } from './recent-sessions.ts'
import { Scopes } from './scopes.ts'
import type { ScopeItem, ScopeRow } from './scopes-store.ts'
import { type CachedRoles, rolesAt, ServerMembers } from './server-members.ts'
import type { MemberItem, ServerMemberRead } from './server-members-store.ts'
import {
  type MemberFact,
  type MembershipFact,
  type ServerFact,
  Session,
  type SessionFacts,
} from './session.ts'

/** A read of facts from the database with a result that is not cached yet. */
export interface Loading {
  /** The changes that arrived since the load began. The loaded rows may be older than these changes. */
  readonly changes: Change[]
  /** The servers with cached roles. The load does not read their roles again. */
  readonly knownServers: readonly string[]
  /** True if the cache was cleared since the load began. The result must then not be cached. */
  wasCleared: boolean
}

/** The parts of a read of the change log that the cache uses. */
type Latest = Pick<LogSnapshot, 'nowMs' | 'live' | 'settingsVersion'>

/** An API key that was valid when it was read. */
interface CachedApiKey {
  readonly projectId: string
  /** The expiry of the key by the database's clock. */
  readonly endsAtMs: number | undefined
  readonly project: Fact<true>
}

/** The maximum number of cached keys, more than any installation uses. At the limit, all of them are evicted. */
const maxKeys = 100_000

/**
 * Caches the data of responses: sessions, API keys, and the facts that they share (see `facts.ts`).
 *
 * Only valid values are cached, so the change log needs an entry when a value changes or ends, but not when one becomes
 * valid. Entries are applied to the cache and to loads in progress.
 */
export class FactCache {
  readonly #members = new Facts<MemberFact>()
  readonly #memberships = new Facts<MembershipFact>()
  readonly #servers = new Facts<ServerFact>()
  readonly #projects = new Facts<true>()
  readonly #access = new Facts<true>()
  readonly #groups = new Facts<GroupRule>()
  readonly #keys = new Map<string, CachedApiKey>()
  readonly #sessions: RecentSessions
  readonly scopes = new Scopes()
  readonly hostRules = new HostRules()
  readonly accessTokens = new AccessTokens()
  readonly serverMembers = new ServerMembers()
  readonly #loading = new Set<Loading>()
  /** The last read of the change log, and the monotonic time just before it was sent. */
  #latest: Latest = { nowMs: 0, live: new Map(), settingsVersion: -1 }
  #latestSentAtMs = 0

  constructor(maxBytes: number) {
    this.#sessions = new RecentSessions(maxBytes, (session) => this.#release(session))
  }

  /** The number of cached sessions. */
  get size(): number {
    return this.#sessions.size
  }

  /** Returns the version of the stored settings at the last read. */
  get settingsVersion(): number {
    return this.#latest.settingsVersion
  }

  /** The estimated size of the cached sessions in memory. */
  get bytes(): number {
    return this.#sessions.bytes
  }

  /**
   * Estimates the database's time: never behind its clock, and ahead by at most the duration of the last read. So a
   * cached value may expire early, but never late. Adds 1 ms, because `clock_now` returns whole milliseconds.
   */
  nowMs(monotonicMs: number): number {
    return this.#latest.nowMs + 1 + (monotonicMs - this.#latestSentAtMs)
  }

  /** Returns the project ID of a cached key that is valid at `nowMs`, or undefined. */
  findKeyProject(digest: string, nowMs: number): string | undefined {
    const key = this.#keys.get(digest)
    if (!key || key.project.isInvalid) return undefined
    return key.endsAtMs === undefined || key.endsAtMs > nowMs ? key.projectId : undefined
  }

  /** Returns a cached session that no change has invalidated. The caller checks the expiry. */
  findSession(tokenDigest: string): Session | undefined {
    const session = this.#sessions.use(tokenDigest)
    if (!session || session.isCurrent()) return session
    this.#sessions.drop(session)
    return undefined
  }

  /** Applies a read of the change log. `sentAtMs` is the monotonic time just before it was sent. */
  applySnapshot(snapshot: LogSnapshot, sentAtMs: number): void {
    this.#latest = snapshot
    this.#latestSentAtMs = sentAtMs
    this.applyChanges(snapshot.changes)
    for (const { id, value } of this.#servers.values()) setLive(value, snapshot.live.get(id))
  }

  /** Applies changes to the cache, and records them for loads in progress. */
  applyChanges(changed: readonly Change[]): void {
    for (const change of changed) this.#applyChange(change)
    for (const { changes } of this.#loading) for (const change of changed) changes.push(change)
  }

  /** Clears the cache, and keeps loads in progress from being cached. */
  clear(): void {
    for (const loading of this.#loading) loading.wasCleared = true
    this.#members.invalidateAll()
    this.#memberships.invalidateAll()
    this.#servers.invalidateAll()
    this.#projects.invalidateAll()
    this.#access.invalidateAll()
    this.#groups.invalidateAll()
    this.#keys.clear()
    this.#sessions.clear()
    this.scopes.clear()
    this.hostRules.clear()
    this.accessTokens.clear()
    this.serverMembers.clear()
  }

  /** Begins a load. Call it before the facts are read, and `endLoading` after they are stored. */
  beginLoading(): Loading {
    const knownServers = [...this.#servers.values()].map(({ id }) => id)
    const loading = { changes: [], knownServers, wasCleared: false }
    this.#loading.add(loading)
    return loading
  }

  /** Ends a load, whether it succeeded or failed. */
  endLoading(loading: Loading): void {
    this.#loading.delete(loading)
  }

  /**
   * Caches the facts of a load. Returns undefined if roles that the load relied on (`knownServers`) have been evicted.
   * The caller must then read the facts again, with all roles.
   */
  store(items: readonly Item[], rows: FactRows, loading: Loading): Read[] | undefined {
    // Caching a session may evict the last session of another server, and its roles with it. So all roles are looked up
    // first.
    const rolesByServer = new Map<string, Roles>()
    for (const { session } of rows.items) {
      if (!session || rolesByServer.has(session.serverId)) continue
      const found = rows.roles.get(session.serverId)
      const roles = found ? toRoles(found) : this.#servers.get(session.serverId)?.value.roles
      if (!roles) return undefined
      rolesByServer.set(session.serverId, roles)
    }
    const reads = rows.items.map((row, i) =>
      this.#storeItem(items[i] as Item, row, { nowMs: rows.nowMs, rolesByServer }),
    )
    // The rows may already contain some of these changes. Applying such a change again only causes another read.
    for (const change of loading.changes) this.#applyChange(change)
    return reads
  }

  /** Caches the scopes that were read. */
  storeScopes(item: ScopeItem, { isReadable, isMapped, scopes }: ScopeRow, loading: Loading): void {
    if (!isReadable || !isMapped) return
    this.scopes.add(item, scopes)
    for (const change of loading.changes) this.scopes.applyChange(change)
  }

  /** Caches the rule that was read for a host. */
  storeHostRule(host: string, rule: HostRule, loading: Loading): void {
    this.hostRules.add(host, rule)
    for (const change of loading.changes) this.hostRules.applyChange(change)
  }

  /** Caches an access token that was read. */
  storeAccessToken(digest: string, row: AccessTokenRow, loading: Loading): void {
    this.accessTokens.add(digest, row, this.#latest.nowMs)
    for (const change of loading.changes) this.accessTokens.applyChange(change)
  }

  /** Caches members of servers that were read. */
  storeServerMembers(
    items: readonly MemberItem[],
    reads: readonly ServerMemberRead[],
    loading: Loading,
  ): void {
    for (const [i, item] of items.entries()) this.serverMembers.add(item, reads[i] as ServerMemberRead)
    for (const change of loading.changes) this.serverMembers.applyChange(change)
  }

  /** Returns the roles of a member of a server, if the member or a session of the member is cached. */
  findHeldRoles(item: MemberItem, nowMs: number): CachedRoles | undefined {
    const { serverId, memberId } = item
    const liveness = this.#latest.live.get(serverId)
    const cached = this.serverMembers.findHeldRoles(item)
    if (cached) return rolesAt(nowMs, cached, liveness)
    const membership = this.#memberships.get(membershipId(serverId, memberId))?.value
    const server = this.#servers.get(serverId)?.value
    if (!membership || !server) return undefined
    const { roleIds, syncedAtMs } = membership
    return rolesAt(nowMs, { held: heldWithJson(roleIds, server.roles), syncedAtMs }, liveness)
  }

  #storeItem(
    { keyDigest, tokenDigest }: Item,
    row: ItemRow,
    { nowMs, rolesByServer }: { readonly nowMs: number; readonly rolesByServer: ReadonlyMap<string, Roles> },
  ): Read {
    const { projectId, isActive } = row
    if (projectId !== undefined && isActive) this.#storeKey(keyDigest, projectId, row.keyEndsAtMs)
    const found = row.session
    if (!found) return { nowMs, projectId, isActive, session: undefined }
    const server = toServerFact(found, rolesByServer.get(found.serverId) as Roles)
    const facts: SessionFacts = {
      member: this.#members.use(found.memberId, toMemberFact(found)),
      membership: this.#memberships.use(
        membershipId(found.serverId, found.memberId),
        toMembershipFact(found),
      ),
      server: this.#servers.use(found.serverId, server),
      project: found.projectId === null ? undefined : this.#projects.use(found.projectId, true),
      access:
        found.projectId === null
          ? undefined
          : this.#access.use(accessId(found.projectId, found.serverId), true),
      groups: found.projectId === null ? undefined : this.#groups.use(found.projectId, found.groups),
    }
    // A sync that found the same roles is not in the change log, so this row may have a later `syncedAtMs`.
    if (facts.membership.value.syncedAtMs < found.syncedAtMs) facts.membership.value = toMembershipFact(found)
    const session = new Session(tokenDigest, found, facts)
    this.#sessions.add(session)
    return { nowMs, projectId, isActive, session }
  }

  #storeKey(digest: string, projectId: string, endsAtMs: number | undefined): void {
    const cached = this.#keys.get(digest)
    // A new expiry is in the change log, and that entry has already dropped the cached key.
    if (cached && !cached.project.isInvalid) return
    this.#dropKey(digest)
    if (this.#keys.size >= maxKeys) {
      for (const { project } of this.#keys.values()) this.#projects.release(project)
      this.#keys.clear()
    }
    this.#keys.set(digest, { projectId, endsAtMs, project: this.#projects.use(projectId, true) })
  }

  #dropKey(digest: string): void {
    const key = this.#keys.get(digest)
    if (!key) return
    this.#keys.delete(digest)
    this.#projects.release(key.project)
  }

  #applyChange(change: Change): void {
    this.scopes.applyChange(change)
    this.hostRules.applyChange(change)
    this.accessTokens.applyChange(change)
    this.serverMembers.applyChange(change)
    switch (change.kind) {
      case 'session':
        this.#sessions.dropByDigest(change.tokenDigest)
        return
      case 'membership':
        this.#memberships.invalidate(change.id)
        return
      case 'member':
        this.#members.invalidate(change.memberId)
        return
      case 'key':
        this.#dropKey(change.keyDigest)
        return
      case 'project':
        this.#projects.invalidate(change.projectId)
        this.#groups.invalidate(change.projectId)
        return
      case 'access':
        this.#access.invalidate(change.id)
        return
      case 'server':
        // A change of one server can change which server is the main server.
        this.#servers.invalidateAll()
        return
      case 'token':
        // `accessTokens` has already applied it.
        return
      case 'roles': {
        const server = this.#servers.get(change.serverId)
        if (server) server.value.roles = toRoles(change.roles)
        return
      }
      case 'unknown':
        this.clear()
    }
  }

  #release(session: Session): void {
    const { member, membership, server, project, access, groups } = session.facts
    this.#members.release(member)
    this.#memberships.release(membership)
    this.#servers.release(server)
    if (project) this.#projects.release(project)
    if (access) this.#access.release(access)
    if (groups) this.#groups.release(groups)
  }
}

function setLive(server: ServerFact, liveness: { asOfMs: number; untilMs: number } | undefined) {
  server.liveAsOfMs = liveness?.asOfMs ?? null
  server.liveUntilMs = liveness?.untilMs ?? 0
}
