import type { ChatMember, ChatUser } from '#chat/chat-platform'
import type { Deps } from '../../deps.ts'
import { endMembership, revokeServerSessions, upsertMember, upsertMembership } from './store.ts'

/** Writes what the platform said of one member. `undefined` is its word that there is no such member. */
export async function mirrorMember(
  { db, audit }: Pick<Deps, 'db' | 'audit'>,
  serverId: string,
  user: ChatUser | { id: string },
  member: ChatMember | undefined,
): Promise<void> {
  await db.transaction(async (tx) => {
    if (member) {
      await upsertMember(tx, { ...member.user, ...user })
      await upsertMembership(tx, serverId, member)
      return
    }
    if ('username' in user) await upsertMember(tx, user)
    const ended = await endMembership(tx, serverId, user.id)
    if (!ended) return
    const sessions = await revokeServerSessions(tx, serverId, user.id)
    await audit.record(tx, {
      actionType: 'member',
      action: 'member.leave',
      target: { type: 'member', id: user.id, name: ended.username },
      summary: `${ended.username} is no longer a member of ${ended.serverName}; ${sessions} sessions ended.`,
    })
  })
}
