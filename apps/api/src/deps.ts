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
 * Reads any member from the platform into the mirror, for a project that names them. Projects take turns. A failure
 * for an ID that the mirror does not know says nothing about the platform's health.
 * @throws RATE_LIMITED if the project requests too many members that the mirror does not know
 */
export type ReadForProject = (
  asked: { readonly projectId: string; readonly serverId: string; readonly memberId: string },
  isKnown: boolean,
) => Promise<Refreshed>
/** The audit entry of a file that an admin downloads: its subject and its filters, and never a person's name. */
export type DownloadEvent = Pick<AuditEvent, 'actionType' | 'action' | 'target' | 'summary'>

/**
 * Opens a download of rows. Limits the number of files that an admin has in progress, and writes the audit entry
 * before the first row is sent: no audit, no file.
 */
export type OpenDownload = <Page>(
  by: By & Required<Pick<By, 'actor'>>,
  event: DownloadEvent,
  pages: AsyncIterable<Page>,
) => AsyncGenerator<Page, void, void>

/** Logs the reason for which a sign-in failed at the chat platform. */
export type LogLoginFailure = (error: unknown) => void

/** An open sign-in of an address. */
export interface Permit {
  /** Returns the permit after a sign-in that completed. */
  giveBack(): Promise<void>
}

/**
 * Limits the sign-ins that unknown callers may start. Starting a sign-in and querying the platform each take a
 * permit from the address, and a completed sign-in returns its permits. Any number of honest sign-ins may therefore
 * come from one address; only sign-ins that are started and never completed add up.
 */
export interface LoginLimits {
  /** @throws RATE_LIMITED */
  take(address: string): Promise<Permit>
  /** Restores the permit that an earlier request took this number of milliseconds ago. */
  takenAgo(address: string, ms: number): Permit
  /**
   * Notes that a sign-in was stored. Above the limit, evicts the oldest sign-ins of the addresses that have most.
   */
  stored(): Promise<void>
}

/** The settings that can change while the service runs. */
export type LiveSettings = Readonly<Record<settings.EditableSetting, number>>

/** The stored row: the values that administrators changed, and the last author. */
export interface StoredSettings {
  /** The number of writes. */
  readonly version: number
  /** `group.key` → value. */
  readonly overrides: Readonly<Record<string, number>>
  readonly updatedAt: string | null
  readonly updatedBy: string | null
}

export interface Settings {
  /** Returns the values in force now; call it again for each use. */
  current(): LiveSettings
  /** Reads the stored values, applies them here, and returns them. */
  refresh(): Promise<StoredSettings>
  /** Applies the values that were just written here, and notifies the other instances. */
  announce(written: StoredSettings): Promise<void>
  /** Applies the stored values, and from then on those that any instance writes. */
  start(): Promise<void>
  close(): void
}

/** The extent of a change: a project, a server, or a project in a server. */
export interface Reach {
  readonly projectId?: string
  readonly serverId?: string
}

/** The dependencies that a change uses, and that a dry run replaces. */
export type ChangeDeps = Pick<Deps, 'db' | 'audit' | 'endSessions'>

/**
 * Returns the effects of a change within a reach, by making it and rolling it back. Throws the errors of the
 * change.
 */
export type RunDry = (reach: Reach, change: (deps: ChangeDeps) => Promise<unknown>) => Promise<dryRun.DryRun>

/** All dependencies of use cases. Each use case names the part it needs: `Pick<Deps, 'db' | 'audit'>`. */
export interface Deps {
  readonly config: Config
  /** The ID of this process among the instances, in monitoring and on each line of its log. */
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
     * Ends the sessions of a removed server; also of one that is registered again, for sessions made in it
     * meanwhile. Returns the number of ended sessions.
     */
    readonly ofServer: (tx: Tx, serverId: string) => Promise<number>
    /**
     * Ends a project's sessions of clients with metadata documents on other hosts than these. Returns the number of
     * ended sessions.
     */
    readonly ofOtherHosts: (tx: Tx, projectId: string, hosts: readonly string[]) => Promise<number>
  }
  readonly runDry: RunDry
  readonly mirrorMember: MirrorMember
  readonly refreshMember: RefreshMember
  readonly readForProject: ReadForProject
  readonly liveMirror: LiveMirror
  /** Undefined unless traces are exported. */
  readonly tracing: Tracing | undefined
  readonly platformWatch: PlatformWatch
  /** Returns the state of the chat platform, according to this instance. */
  readonly chatFigures: () => ChatFigures
  /** Checks the chain of the audit log continuously. */
  readonly chainVerifier: ChainVerifier
  /** Sends events, notices, and logout tokens to the addresses of projects. */
  readonly deliveries: Deliveries
  /** Reads documents at addresses that strangers chose. */
  readonly get: Get
  readonly schemas: TenantSchemas
}
