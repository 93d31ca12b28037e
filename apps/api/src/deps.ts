import type { dryRun, settings } from '@rolecall/contract'
import type { TenantSchemas } from '@rolecall/tenant-schema/workers'
import type { ChainVerifier } from '#audit/chain-verifier'
import type { AuditEvent, By, RecordAudit } from '#audit/event'
import type { ChatPlatform } from '#chat/chat-platform'
import type { PlatformWatch } from '#chat/platform-watch'
import type { Deliveries } from '#deliveries/create-deliveries'
import type { ChatFigures, LiveMirror } from '#mirror/gateway/status'
import type { EndSessions, MirrorMember, Refreshed, RefreshMember } from '#mirror/mirror-deps'
import type { Cache } from '#platform/cache/cache'
import type { Database, Tx } from '#platform/db/database'
import type { Log } from '#platform/log'
import type { Get } from '#platform/outbound/create-get'
import type { Pressure } from '#platform/pressure'
import type { SharingLimiter } from '#platform/rate-limit/rate-limiter'
import type { Tracing } from '#platform/tracing/tracing'
import type { Answers } from '#session-memory/answers'
import type { Config } from './config.ts'

/**
 * Reads a member from Discord into the mirror, for a project that requested this member. Projects take turns. `isKnown`
 * is false if the mirror does not know the member; a failure then says nothing about whether Discord works.
 *
 * @throws RATE_LIMITED if the project requests too many unknown members
 */
export type ReadForProject = (
  request: { readonly projectId: string; readonly serverId: string; readonly memberId: string },
  isKnown: boolean,
) => Promise<Refreshed>
/**
 * The part of the audit entry for a download that describes the file: its subject and its filters, but never the name
 * of a person.
 */
export type DownloadEvent = Pick<AuditEvent, 'actionType' | 'action' | 'target' | 'summary'>

/**
 * Opens a download. Limits how many files an administrator downloads at the same time. Writes the audit entry before
 * the first row is sent, so that no file leaves the service without one.
 */
export type OpenDownload = <Page>(
  by: By & Required<Pick<By, 'actor'>>,
  event: DownloadEvent,
  pages: AsyncIterable<Page>,
) => AsyncGenerator<Page, void, void>

/** Logs why a sign-in failed at Discord. */
export type LogLoginFailure = (error: unknown) => void

/** An open sign-in that counts against the limit of its IP address. */
export interface Permit {
  /** Releases the permit, after the sign-in was completed. The sign-in then no longer counts toward the limit. */
  release(): Promise<void>
}

/**
 * Limits the sign-ins that unknown clients may start. Starting a sign-in acquires a permit of the IP address, and so
 * does each query to Discord. A completed sign-in releases its permits. So any number of real sign-ins may come from
 * one address, and only those that are never completed add up.
 */
export interface LoginLimits {
  /**
   * Acquires a permit.
   *
   * @throws RATE_LIMITED
   */
  acquire(address: string): Promise<Permit>
  /** Returns the permit that an earlier request acquired `ageMs` milliseconds ago, so that it can be released. */
  earlierPermit(address: string, ageMs: number): Permit
  /**
   * Counts a sign-in that was stored. If too many are stored, deletes the oldest ones of the addresses that have the
   * most.
   */
  countStored(): Promise<void>
}

/** The settings that can change while the service runs. */
export type LiveSettings = Readonly<Record<settings.EditableSetting, number>>

/** The stored settings: only the values that administrators have changed, and who changed them last. */
export interface StoredSettings {
  /** The number of writes so far. */
  readonly version: number
  /** Values by `group.key`. */
  readonly overrides: Readonly<Record<string, number>>
  readonly updatedAt: string | null
  readonly updatedBy: string | null
}

/** The settings that administrators can change, in this process. */
export interface Settings {
  /** Returns the current values. They can change at any time, so call it for every use. */
  current(): LiveSettings
  /** Reads the stored values, applies them in this process, and returns them. */
  refresh(): Promise<StoredSettings>
  /** Applies values that were just stored, and notifies the other instances. */
  announce(written: StoredSettings): Promise<void>
  /** Applies the stored values, and from then on every later change by any instance. */
  start(): Promise<void>
  close(): void
}

/** The extent of a change: a project, a server, or a project in a server. */
export interface Reach {
  readonly projectId?: string
  readonly serverId?: string
}

/** The dependencies that a change uses. A dry run replaces them. */
export type ChangeDeps = Pick<Deps, 'db' | 'audit' | 'endSessions'>

/**
 * Returns the effects of a change within `reach`, by making the change and rolling it back. Throws what the change
 * throws.
 */
export type RunDry = (reach: Reach, change: (deps: ChangeDeps) => Promise<unknown>) => Promise<dryRun.DryRun>

/** All dependencies of the features. Each function names those that it needs, such as `Pick<Deps, 'db' | 'audit'>`. */
export interface Deps {
  readonly config: Config
  /** The ID of this process, in monitoring and in every line of its log. */
  readonly instanceId: string
  readonly log: Log
  readonly db: Database
  readonly cache: Cache
  readonly answers: Answers
  readonly limiter: SharingLimiter
  /** The rate limiter for unknown session tokens, per API key and IP address. */
  readonly unknownTokens: SharingLimiter
  readonly loginLimits: LoginLimits
  readonly logLoginFailure: LogLoginFailure
  readonly pressure: Pressure
  readonly chat: ChatPlatform
  readonly audit: { readonly record: RecordAudit }
  readonly settings: Settings
  readonly endSessions: EndSessions & {
    /**
     * Ends the sessions of a server that was removed, or that is registered again after a removal. Returns their
     * number.
     */
    readonly ofServer: (tx: Tx, serverId: string) => Promise<number>
    /**
     * Ends a project's sessions of clients whose metadata documents are on a host that is not in `hosts`. Returns their
     * number.
     */
    readonly ofOtherHosts: (tx: Tx, projectId: string, hosts: readonly string[]) => Promise<number>
  }
  readonly runDry: RunDry
  readonly mirrorMember: MirrorMember
  readonly refreshMember: RefreshMember
  readonly readForProject: ReadForProject
  readonly liveMirror: LiveMirror
  /** Undefined if no traces are exported. */
  readonly tracing: Tracing | undefined
  readonly platformWatch: PlatformWatch
  /** Returns the state of Discord, as this instance sees it. */
  readonly chatFigures: () => ChatFigures
  /** Verifies the hash chain of the audit log in the background. */
  readonly chainVerifier: ChainVerifier
  /** Sends events, notices, and logout tokens to the addresses of projects. */
  readonly deliveries: Deliveries
  /** Reads documents at addresses that clients have chosen. */
  readonly get: Get
  readonly schemas: TenantSchemas
}
