import type { RecordAudit } from '#audit/event'
import type { ChatMember, ChatPlatform, ChatUser } from '#chat/chat-platform'
import type { Database, Tx } from '#platform/db/database'
import type { Log } from '#platform/log'
import type { AsOf, Departure } from './write-members.ts'

/** Ends sessions with their membership, in the same transaction; the mirror does not know how. */
export interface EndSessions {
  /** Returns one row for each session that ended. */
  readonly ofMembers: (tx: Tx, departures: readonly Departure[]) => Promise<Departure[]>
}

/** The dependencies of the mirror. */
export interface MirrorDeps {
  readonly db: Database
  readonly log: Log
  readonly chat: ChatPlatform
  readonly audit: { readonly record: RecordAudit }
  readonly endSessions: EndSessions
}

/** Writes the platform's answer about one member; undefined means that there is no such member. */
export type MirrorMember = (
  serverId: string,
  user: ChatUser | { id: string },
  member: ChatMember | undefined,
  asOf: AsOf,
) => Promise<void>

/** `fresh`: the mirror was just written. `unavailable`: it was not, and only its age shows its quality. */
export type Refreshed = 'fresh' | 'unavailable'

/** Reads one member from the platform into the mirror. */
export type RefreshMember = (serverId: string, memberId: string) => Promise<Refreshed>
