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
import type { Pressure } from '#platform/pressure'
import type { SharingLimiter } from '#platform/rate-limit/rate-limiter'
import type { Tracing } from '#platform/tracing/tracing'
import type { Answers } from '#session-memory/answers'
import type { Config } from './config.ts'

/**
 * Reads anyone from the platform into the mirror, for a project that names them. Projects take turns, and what comes
 * of an id that the mirror does not know says nothing of the platform's health.
 * @throws RATE_LIMITED when the project asks for too many whom the mirror does not know
 */
export type ReadForProject = (
  asked: { readonly projectId: string; readonly serverId: string; readonly memberId: string },
  isKnown: boolean,
) => Promise<Refreshed>
/** What the audit log says of a file that an admin takes away: what it is of and by which filters, never by whose name. */
export type DownloadEvent = Pick<AuditEvent, 'actionType' | 'action' | 'target' | 'summary'>

/**
 * The way of rows into a file. Lets an admin have so many files under way and no more, and writes the audit entry
 * before the first row goes out: no audit, no file.
 */
export type OpenDownload = <Page>(
  by: By & Required<Pick<By, 'actor'>>,
  event: DownloadEvent,
  pages: AsyncIterable<Page>,
) => AsyncGenerator<Page, void, void>

/** Logs why a login failed at the chat platform. */
export type LogLoginFailure = (error: unknown) => void

/** Something that an address has open. */
export interface Permit {
  /** It ended well. */
  giveBack(): Promise<void>
}

/**
 * What strangers may begin. Opening a login and asking the platform each take one from the address that does it, and
 * a login that completes gives back what it took: so many honest logins as there are may come from one address, and
 * only what is begun and never completed adds up.
 */
export interface LoginLimits {
  /** @throws RATE_LIMITED */
  take(address: string): Promise<Permit>
  /** What an earlier request took, so many milliseconds ago. */
  takenAgo(address: string, ms: number): Permit
  /** A login was stored: the oldest of the addresses that have most are forgotten once there are too many. */
  stored(): Promise<void>
}

/** The settings that may change while the service runs. */
export type LiveSettings = Readonly<Record<settings.EditableSetting, number>>

/** The one stored row: what administrators changed, and who did so last. */
export interface StoredSettings {
  /** Counts the writes. */
  readonly version: number
  /** `group.key` → value. */
  readonly overrides: Readonly<Record<string, number>>
  readonly updatedAt: string | null
  readonly updatedBy: string | null
}

export interface Settings {
  /** The values in force now; ask again for each use. */
  current(): LiveSettings
  /** Reads what is stored, puts it in force here, and returns it. */
  refresh(): Promise<StoredSettings>
  /** Puts what was just written in force here, and tells the other instances. */
  announce(written: StoredSettings): Promise<void>
  /** Puts what is stored in force, and from then on what any instance writes. */
  start(): Promise<void>
  close(): void
}

/** What a change can reach: a project, a server, or a project in a server. */
export interface Reach {
  readonly projectId?: string
  readonly serverId?: string
}

/** What a change touches, and what a dry run gives it in the place of that. */
export type ChangeDeps = Pick<Deps, 'db' | 'audit' | 'endSessions'>

/** Tells what a change within a reach would do, by making it and taking it back. Throws what the change throws. */
export type RunDry = (reach: Reach, change: (deps: ChangeDeps) => Promise<unknown>) => Promise<dryRun.DryRun>

/** Everything a use case may touch. Each names the part it needs: `Pick<Deps, 'db' | 'audit'>`. */
export interface Deps {
  readonly config: Config
  /** The ID of this process among the instances, in monitoring and on each line of its log. */
  readonly instanceId: string
  readonly log: Log
  readonly db: Database
  readonly cache: Cache
  readonly answers: Answers
  readonly limiter: SharingLimiter
  /** Session tokens that nobody knows, by the key and the address that bring them. */
  readonly unknownTokens: SharingLimiter
  readonly loginLimits: LoginLimits
  readonly logLoginFailure: LogLoginFailure
  readonly pressure: Pressure
  readonly chat: ChatPlatform
  readonly audit: { readonly record: RecordAudit }
  readonly settings: Settings
  readonly endSessions: EndSessions & {
    /** When a server is removed; also when it is registered again, for what was made in it meanwhile. Answers how many. */
    readonly ofServer: (tx: Tx, serverId: string) => Promise<number>
  }
  readonly runDry: RunDry
  readonly mirrorMember: MirrorMember
  readonly refreshMember: RefreshMember
  readonly readForProject: ReadForProject
  readonly liveMirror: LiveMirror
  /** Undefined unless traces are sent somewhere. */
  readonly tracing: Tracing | undefined
  readonly platformWatch: PlatformWatch
  /** How the chat platform is doing, as far as this instance knows. */
  readonly chatFigures: () => ChatFigures
  /** Checks the chain of the audit log all the time. */
  readonly chainVerifier: ChainVerifier
  /** Sends events, notices, and logout tokens to the addresses of projects. */
  readonly deliveries: Deliveries
  readonly schemas: TenantSchemas
}
