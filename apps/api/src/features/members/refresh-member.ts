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

/** The maximum number of servers per request. Servers with a membership of the member come first. */
const maxServers = 20

type Needs = Pick<Deps, 'db' | 'chat' | 'audit' | 'mirrorMember'> & {
  /** Limits the refreshes of each admin, because each one sends a request to the platform for every server. */
  readonly refreshLimiter: RateLimiter
}

/**
 * Reads a member from the platform, in all registered servers, for an admin who found an error in the mirror.
 *
 * @throws MEMBER_NOT_FOUND, RATE_LIMITED, CHAT_PLATFORM_UNAVAILABLE
 */
export async function refreshMember(
  deps: Needs,
  by: By & Required<Pick<By, 'actor'>>,
  memberId: string,
): Promise<memberLists.MemberServers> {
  const { db, audit, refreshLimiter } = deps
  const verdict = await refreshLimiter.take(by.actor.id)
  if (!verdict.allowed) throw tooMany(refreshLimiter, verdict)
  const serverIds = await listServerIds(db, memberId, maxServers)
  const answers = await Promise.all(serverIds.map((serverId) => readIn(deps, serverId, memberId)))
  // Fails only if the platform responded for no server, because the bot may be missing in some.
  if (serverIds.length > 0 && answers.every((isAnswered) => !isAnswered)) throw chatPlatformUnavailable()
  const member = await getMemberServers(deps, memberId)
  await db.transaction((tx) =>
    audit.record(tx, {
      ...by,
      actionType: 'member',
      action: 'member.refresh',
      target: { type: 'member', id: memberId, name: member.username },
      summary: `${member.username} was read again from the chat platform. Their number of servers: ${member.servers.length}.`,
    }),
  )
  return member
}

/** Reads a member in one server. Returns false if the platform rejects the request. */
async function readIn({ db, chat, mirrorMember }: Needs, serverId: string, id: string): Promise<boolean> {
  try {
    const askedAt = await readTime(db)
    const member = await chat.member(serverId, id, 'login')
    await mirrorMember(serverId, member?.user ?? { id }, member, askedAt)
    return true
  } catch (error) {
    if (!(error instanceof ChatPlatformError)) throw error
    if (error.failure === 'refused') return false
    throw chatPlatformUnavailable(error)
  }
}
