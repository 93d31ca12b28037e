import type { ChatMember, ChatUser } from '#chat/chat-platform'
import type { Deps } from '../deps.ts'
import { endMemberships } from './end-memberships.ts'
import { upsertMember, upsertMembership } from './write-members.ts'

/**
 * Writes what the platform said of one member. `undefined` is its word that there is no such member. The
 * gateway may tell something newer while it is asked: rows written since `askedAt` stay as they are.
 */
export async function mirrorMember(
  { db, audit }: Pick<Deps, 'db' | 'audit'>,
  serverId: string,
  user: ChatUser | { id: string },
  member: ChatMember | undefined,
  askedAt?: Date,
): Promise<void> {
  await db.transaction(async (tx) => {
    if (member) {
      await upsertMember(tx, { ...member.user, ...user }, askedAt)
      await upsertMembership(tx, serverId, member, askedAt)
      return
    }
    if ('username' in user) await upsertMember(tx, user, askedAt)
    await audit.record(tx, await endMemberships(tx, [{ serverId, memberId: user.id }], askedAt))
  })
}
