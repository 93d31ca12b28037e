import type { ChatMember, ChatPlatform, ChatUser } from '#chat/chat-platform'
import type { Cache } from '#platform/cache/cache'
import type { Database } from '#platform/db/database'
import type { TenantSchemas } from '#platform/json-schema/tenant-schemas'
import type { Log } from '#platform/log'
import type { Pressure } from '#platform/pressure'
import type { SharingLimiter } from '#platform/rate-limit/rate-limiter'
import type { Tracing } from '#platform/tracing/tracing'
import type { Config } from './config.ts'
import type { AuditEvent, RecordAudit } from './features/audit/event.ts'
import type { ChatFigures, LiveMirror } from './features/live-mirror/status.ts'
import type { LoginLimits } from './features/login/login-limits.ts'
import type { PlatformWatch } from './features/monitoring/platform-watch.ts'
import type { Notifications } from './features/notifications/notifications.ts'
import type { Settings } from './features/settings/settings.ts'

/** Who does it, for the audit entry; the service itself when there is no actor. */
export type By = Pick<AuditEvent, 'actor' | 'client'>

/**
 * Writes what the platform said of one member; an undefined member is its word that there is none. What was
 * told since `askedAt` is newer, and stays.
 */
export type MirrorMember = (
  serverId: string,
  user: ChatUser | { id: string },
  member: ChatMember | undefined,
  askedAt?: Date,
) => Promise<void>

/** `fresh`: the mirror was just written. `unavailable`: it was not, and only its age says how good it is. */
export type Refreshed = 'fresh' | 'unavailable'

/** Reads one member whom the mirror knows from the platform into the mirror. */
export type RefreshMember = (serverId: string, memberId: string) => Promise<Refreshed>

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

/** Everything a use case may touch. Each names the part it needs: `Pick<Deps, 'db' | 'audit'>`. */
export interface Deps {
  readonly config: Config
  readonly log: Log
  readonly db: Database
  readonly cache: Cache
  readonly limiter: SharingLimiter
  readonly loginLimits: LoginLimits
  readonly pressure: Pressure
  readonly chat: ChatPlatform
  readonly audit: { readonly record: RecordAudit }
  readonly settings: Settings
  readonly mirrorMember: MirrorMember
  readonly refreshMember: RefreshMember
  readonly readForProject: ReadForProject
  readonly liveMirror: LiveMirror
  /** Undefined unless traces are sent somewhere. */
  readonly tracing: Tracing | undefined
  readonly platformWatch: PlatformWatch
  /** How the chat platform is doing, as far as this instance knows. */
  readonly chatFigures: () => ChatFigures
  readonly notifications: Notifications
  readonly schemas: TenantSchemas
}
