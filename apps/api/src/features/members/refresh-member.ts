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

/** Servers that one request asks about; those where the member is known come first. */
const maxServers = 20

type Needs = Pick<Deps, 'db' | 'chat' | 'audit' | 'mirrorMember'> & {
  /** How many one admin may have read again: each is a question to the platform for each server. */
  readonly refreshLimiter: RateLimiter
}

/**
 * Reads one member from the platform in all registered servers, now: for an admin who sees that the mirror is wrong.
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
  // A server that the bot is not in has no answer, and keeps nobody from those of the others.
  if (serverIds.length > 0 && answers.every((isAnswered) => !isAnswered)) throw chatPlatformUnavailable()
  const member = await getMemberServers(deps, memberId)
  await db.transaction((tx) =>
    audit.record(tx, {
      ...by,
      actionType: 'member',
      action: 'member.refresh',
      target: { type: 'member', id: memberId, name: member.username },
      summary: `${member.username} was read again from the chat platform; is in ${member.servers.length} servers.`,
    }),
  )
  return member
}

/** False when the platform refuses to say. */
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
