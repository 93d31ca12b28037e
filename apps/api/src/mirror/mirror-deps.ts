import type { RecordAudit } from '#audit/event'
import type { ChatMember, ChatPlatform, ChatUser } from '#chat/chat-platform'
import type { Database, Tx } from '#platform/db/database'
import type { Log } from '#platform/log'
import type { AsOf, Departure } from './write-members.ts'

/** Ends sessions whose membership is gone, in the transaction in which it goes; that is not for the mirror to know how. */
export interface EndSessions {
  /** Answers one row for each session that ended. */
  readonly ofMembers: (tx: Tx, departures: readonly Departure[]) => Promise<Departure[]>
}

/** What the mirror is made of. */
export interface MirrorDeps {
  readonly db: Database
  readonly log: Log
  readonly chat: ChatPlatform
  readonly audit: { readonly record: RecordAudit }
  readonly endSessions: EndSessions
}

/** Writes what the platform said of one member; an undefined member is its word that there is none. */
export type MirrorMember = (
  serverId: string,
  user: ChatUser | { id: string },
  member: ChatMember | undefined,
  asOf: AsOf,
) => Promise<void>

/** `fresh`: the mirror was just written. `unavailable`: it was not, and only its age says how good it is. */
export type Refreshed = 'fresh' | 'unavailable'

/** Reads one member from the platform into the mirror. */
export type RefreshMember = (serverId: string, memberId: string) => Promise<Refreshed>
