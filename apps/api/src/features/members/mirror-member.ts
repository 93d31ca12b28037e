import type { ChatMember, ChatUser } from '#chat/chat-platform'
import type { Deps } from '../../deps.ts'
import { endMembership } from './end-membership.ts'
import { upsertMember, upsertMembership } from './store.ts'

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
    await endMembership(tx, audit, { serverId, userId: user.id })
  })
}
