import type { ChatMember, ChatUser } from '#chat/chat-platform'
import { endMemberships } from './end-memberships.ts'
import type { MirrorDeps } from './mirror-deps.ts'
import { type AsOf, upsertMembers } from './write-members.ts'
import { writeMemberships } from './write-memberships.ts'

/**
 * Writes Discord's response about one member into the mirror. `member` is undefined if the user is not a member. Rows
 * that were written after the request are not changed, because the gateway may have reported something newer.
 */
export async function mirrorMember(
  deps: Pick<MirrorDeps, 'db' | 'audit' | 'endSessions'>,
  serverId: string,
  user: ChatUser | { id: string },
  member: ChatMember | undefined,
  asOf: AsOf,
): Promise<void> {
  await deps.db.transaction(async (tx) => {
    if (member) {
      await upsertMembers(tx, [{ user: { ...member.user, ...user }, serverId }], asOf)
      const { events } = await writeMemberships(tx, deps, [{ serverId, member }], asOf)
      return deps.audit.record(tx, events)
    }
    if ('username' in user) await upsertMembers(tx, [{ user }], asOf)
    await deps.audit.record(tx, await endMemberships(tx, deps, [{ serverId, memberId: user.id }], asOf))
  })
}
