import type { explain } from '@rolecall/contract'
import { noUserFields } from '#chat/chat-objects'
import type { ChatMember } from '#chat/chat-platform'
import type { KnownPlace } from './store.ts'

type Assumption = NonNullable<explain.ExplainRequest['assume']>

/**
 * Returns a member as they would be after an assumed change at Discord. Returns undefined if they would not be a
 * member. `newMember` returns a person who is not a member yet as a new one.
 */
export function assumed(
  member: ChatMember | undefined,
  assumption: Assumption | undefined,
  newMember: () => ChatMember,
): ChatMember | undefined {
  if (!assumption) return member
  const { isMember = member !== undefined, addRoleIds = [], removeRoleIds = [] } = assumption
  if (!isMember) return undefined
  const base = member ?? newMember()
  const roleIds = [...new Set([...base.roleIds, ...addRoleIds])].filter((id) => !removeRoleIds.includes(id))
  return { ...base, roleIds }
}

/** Returns a person as a member who has just joined the server and has no roles. */
export const newcomer = (id: string, place: KnownPlace | undefined): ChatMember => ({
  user: { ...noUserFields, id, username: place?.username ?? id, isBot: false },
  nick: null,
  roleIds: [],
  joinedAt: null,
  pending: false,
})

/** Returns a member as stored in the mirror, without deleted roles. Returns undefined if the person is not a member. */
export const mirrored = (id: string, place: KnownPlace | undefined): ChatMember | undefined =>
  place?.isCurrent
    ? {
        ...newcomer(id, place),
        nick: place.nick,
        roleIds: (place.roleIds ?? []).filter((roleId) => place.roles.some((role) => role.id === roleId)),
        joinedAt: place.joinedAt,
        pending: place.pending ?? false,
      }
    : undefined
