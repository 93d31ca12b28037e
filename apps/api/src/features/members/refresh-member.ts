import type { memberLists } from '@rolecall/contract'
import type { By } from '#audit/event'
import { ChatPlatformError } from '#chat/chat-platform'
import { readTime } from '#platform/db/read-time'
import { chatPlatformUnavailable } from '#platform/http/problem'
import { tooMany } from '#platform/http/router'
import type { RateLimiter } from '#platform/rate-limit/rate-limiter'
import type { Deps } from '../../deps.ts'
import { listServerIds } from './lists-store.ts'
import { getMemberServers } from './member-servers.ts'

/** The maximum number of servers in which a member is read. Begins with those in which they are or were a member. */
const maxServers = 20

type Needs = Pick<Deps, 'db' | 'chat' | 'audit' | 'mirrorMember'> & {
  /** Limits the refreshes of each admin, because each one sends a request to Discord for every server. */
  readonly refreshLimiter: RateLimiter
}

/**
 * Reads a member from Discord in the registered servers, and updates the mirror. For an admin who found that the mirror
 * is wrong.
 *
 * @throws MEMBER_NOT_FOUND, RATE_LIMITED, CHAT_PLATFORM_UNAVAILABLE
 */
export async function refreshMember(
  deps: Needs,
  by: By & Required<Pick<By, 'actor'>>,
  memberId: string,
): Promise<memberLists.MemberServers> {
  const { db, audit, refreshLimiter } = deps
  const verdict = await refreshLimiter.consume(by.actor.id)
  if (!verdict.allowed) throw tooMany(refreshLimiter, verdict)
  const serverIds = await listServerIds(db, memberId, maxServers)
  const answers = await Promise.all(serverIds.map((serverId) => readIn(deps, serverId, memberId)))
  // The bot may be missing in some servers, so this fails only if Discord refused the request for all of them.
  if (serverIds.length > 0 && answers.every((isAnswered) => !isAnswered)) throw chatPlatformUnavailable()
  const member = await getMemberServers(deps, memberId)
  await db.transaction((tx) =>
    audit.record(tx, {
      ...by,
      actionType: 'member',
      action: 'member.refresh',
      target: { type: 'member', id: memberId, name: member.username },
      summary: `${member.username} was read again from Discord. Their number of servers: ${member.servers.length}.`,
    }),
  )
  return member
}

/** Reads a member in one server. Returns false if Discord refuses the request. */
async function readIn({ db, chat, mirrorMember }: Needs, serverId: string, id: string): Promise<boolean> {
  try {
    const requestedAt = await readTime(db)
    const member = await chat.member(serverId, id, 'login')
    await mirrorMember(serverId, member?.user ?? { id }, member, requestedAt)
    return true
  } catch (error) {
    if (!(error instanceof ChatPlatformError)) throw error
    if (error.failure === 'refused') return false
    throw chatPlatformUnavailable(error)
  }
}
