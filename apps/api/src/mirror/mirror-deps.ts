import type { RecordAudit } from '#audit/event'
import type { ChatMember, ChatPlatform, ChatUser } from '#chat/chat-platform'
import type { Database, Tx } from '#platform/db/database'
import type { Log } from '#platform/log'
import type { AsOf, Departure } from './write-members.ts'

/**
 * Ends sessions with their membership, in the same transaction. Passed in, because the mirror does not depend on
 * sessions.
 */
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

/** Writes the platform's response about one member. `undefined` means that the user is not a member. */
export type MirrorMember = (
  serverId: string,
  user: ChatUser | { id: string },
  member: ChatMember | undefined,
  asOf: AsOf,
) => Promise<void>

/** `fresh`: the mirror was just updated. `unavailable`: it was not, so decide by the age of its roles. */
export type Refreshed = 'fresh' | 'unavailable'

/** Reads one member from the platform into the mirror. */
export type RefreshMember = (serverId: string, memberId: string) => Promise<Refreshed>
