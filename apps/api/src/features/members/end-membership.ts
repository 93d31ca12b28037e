import type { Tx } from '#platform/db/database'
import type { Deps } from '../../deps.ts'
import { endMembership as endInStore, revokeServerSessions } from './store.ts'

interface Ending {
  readonly serverId: string
  readonly userId: string
  readonly isBan?: boolean
  /** When the platform was asked; whoever came back since then has not left. */
  readonly askedAt?: Date | undefined
}

/**
 * Ends a membership on the platform's own word, with the sessions bound to that server and one audit entry.
 * Nothing happens when it is over already: the platform repeats itself.
 */
export async function endMembership(
  tx: Tx,
  audit: Deps['audit'],
  { serverId, userId, isBan = false, askedAt }: Ending,
): Promise<void> {
  const ended = await endInStore(tx, serverId, userId, askedAt)
  if (!ended) return
  const sessions = await revokeServerSessions(tx, serverId, userId)
  const { username, serverName } = ended
  const what = isBan ? `was banned from ${serverName}` : `is no longer a member of ${serverName}`
  await audit.record(tx, {
    actionType: 'member',
    action: isBan ? 'member.ban' : 'member.leave',
    target: { type: 'member', id: userId, name: username },
    summary: `${username} ${what}; ${sessions} sessions ended.`,
  })
}
