import type { AuditEvent } from '#audit/event'
import type { Tx } from '#platform/db/database'
import { endMemberships } from './end-memberships.ts'
import type { MirrorDeps } from './mirror-deps.ts'
import { type AsOf, type ServerMember, upsertMemberships } from './write-members.ts'

interface Written {
  readonly changed: number
  /** Audit events. Record them at the end of the transaction. */
  readonly events: AuditEvent[]
}

/**
 * Writes current memberships. If a member has joined later than the mirror says, they left and returned without an
 * event. The earlier membership is then ended with its sessions, and a new one is written.
 */
export async function writeMemberships(
  tx: Tx,
  deps: Pick<MirrorDeps, 'endSessions'>,
  rows: readonly ServerMember[],
  asOf: AsOf,
  confirms: 'all' | 'old' = 'all',
): Promise<Written> {
  const returns = rows.flatMap(({ serverId, member: { user, joinedAt } }) =>
    joinedAt === null ? [] : [{ serverId, memberId: user.id, cameBackAt: joinedAt }],
  )
  const events = await endMemberships(tx, deps, returns, asOf)
  return { events, changed: await upsertMemberships(tx, rows, asOf, confirms) }
}
