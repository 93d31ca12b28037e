import type { AuditEvent } from '#audit/event'
import type { Tx } from '#platform/db/database'
import type { MirrorDeps } from './mirror-deps.ts'
import { type AsOf, type Departure, endMembershipRows, type RowEnd } from './write-members.ts'

/** A membership that is over. `isBan` is true if the member was banned. */
export interface Ending extends RowEnd {
  readonly isBan?: boolean
}

/**
 * Ends memberships that Discord reports as over, and the sessions in those servers. Ignores memberships that have
 * already ended, because Discord repeats its reports, and those that began after the request to Discord. Returns an
 * audit event for each membership that was ended. Record them at the end of the transaction, because all other audited
 * changes wait from then on.
 */
export async function endMemberships(
  tx: Tx,
  { endSessions }: Pick<MirrorDeps, 'endSessions'>,
  endings: readonly Ending[],
  asOf: AsOf,
): Promise<AuditEvent[]> {
  const ended = await endMembershipRows(tx, endings, asOf)
  if (ended.length === 0) return []
  const revoked = new Map<string, number>()
  for (const departure of await endSessions.ofMembers(tx, ended)) {
    revoked.set(keyOf(departure), (revoked.get(keyOf(departure)) ?? 0) + 1)
  }
  const bans = new Set(endings.filter(({ isBan }) => isBan).map(keyOf))
  const returns = new Set(endings.filter(({ cameBackAt }) => cameBackAt).map(keyOf))
  return ended.map((departure) => {
    const { memberId, username, serverName } = departure
    const isBan = bans.has(keyOf(departure))
    let what = isBan ? `was banned from ${serverName}` : `is no longer a member of ${serverName}`
    if (returns.has(keyOf(departure))) what = `had left ${serverName} and returned`
    return {
      actionType: 'member',
      action: isBan ? 'member.ban' : 'member.leave',
      target: { type: 'member', id: memberId, name: username },
      summary: `${username} ${what}; ${revoked.get(keyOf(departure)) ?? 0} sessions ended.`,
    }
  })
}

const keyOf = ({ serverId, memberId }: Departure) => `${serverId}/${memberId}`
