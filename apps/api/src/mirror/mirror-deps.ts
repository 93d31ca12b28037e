import type { RecordAudit } from '#audit/event'
import type { ChatMember, ChatPlatform, ChatUser } from '#chat/chat-platform'
import type { Database, Tx } from '#platform/db/database'
import type { Log } from '#platform/log'
import type { AsOf, Departure } from './write-members.ts'

/**
 * Ends the sessions of a membership in the same transaction as the membership. These functions are passed in, because
 * the mirror must not depend on sessions.
 */
export interface EndSessions {
  /** Ends the sessions of members who left a server. Returns one row for each session that was ended. */
  readonly ofMembers: (tx: Tx, departures: readonly Departure[]) => Promise<Departure[]>
}

/** The dependencies of the mirror: the copy of servers, roles, and members of Discord in the database. */
export interface MirrorDeps {
  readonly db: Database
  readonly log: Log
  readonly chat: ChatPlatform
  readonly audit: { readonly record: RecordAudit }
  readonly endSessions: EndSessions
}

/**
 * Writes Discord's response about one member into the mirror. `member` is undefined if the user is not a member. `asOf`
 * is the time of the request.
 */
export type MirrorMember = (
  serverId: string,
  user: ChatUser | { id: string },
  member: ChatMember | undefined,
  asOf: AsOf,
) => Promise<void>

/**
 * The result of a refresh. `fresh`: the mirror is now current. `unavailable`: it was not updated, so the age of its
 * roles decides.
 */
export type Refreshed = 'fresh' | 'unavailable'

/** Reads one member from Discord into the mirror. */
export type RefreshMember = (serverId: string, memberId: string) => Promise<Refreshed>
