import type { AuditEvent } from '#audit/event'
import type { Tx } from '#platform/db/database'
import { endMemberships } from './end-memberships.ts'
import type { MirrorDeps } from './mirror-deps.ts'
import { type AsOf, type ServerMember, upsertMemberships } from './write-members.ts'

interface Written {
  readonly changed: number
  /** The events to record last in the transaction. */
  readonly events: AuditEvent[]
}

/**
 * Writes current memberships. A later joining time than in the mirror means that the member left and rejoined without
 * an event. So the earlier membership ends first, with its sessions, and a new membership is written.
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
