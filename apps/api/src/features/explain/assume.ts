import type { explain } from '@rolecall/contract'
import { noUserFields } from '#chat/chat-objects'
import type { ChatMember } from '#chat/chat-platform'
import type { KnownPlace } from './store.ts'

type Assumption = NonNullable<explain.ExplainRequest['assume']>

/** Returns the member after an assumed change on the platform; undefined if they would not be a member. */
export function assumed(
  member: ChatMember | undefined,
  assumption: Assumption | undefined,
  nobody: () => ChatMember,
): ChatMember | undefined {
  if (!assumption) return member
  const { isMember = member !== undefined, addRoleIds = [], removeRoleIds = [] } = assumption
  if (!isMember) return undefined
  const base = member ?? nobody()
  const roleIds = [...new Set([...base.roleIds, ...addRoleIds])].filter((id) => !removeRoleIds.includes(id))
  return { ...base, roleIds }
}

/** A member who has joined and holds no role yet. */
export const newcomer = (id: string, place: KnownPlace | undefined): ChatMember => ({
  user: { ...noUserFields, id, username: place?.username ?? id, isBot: false },
  nick: null,
  roleIds: [],
  joinedAt: null,
  pending: false,
})

/** Returns a member as stored in the mirror, without deleted roles; undefined if they are not a member. */
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
