import type { blocks } from '@rolecall/contract'
import type { Tx } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import { invalid } from '#platform/http/check-request'
import type { AdminBy } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { type BlockRow, endBlock, findBlocked, lockBlock, lockBlockable, putBlock } from './store.ts'

/** Ends all sessions of a member. Returns how many it ended. */
export type EndEverySession = (tx: Tx, memberId: string, reason: 'member_blocked') => Promise<number>

/**
 * Blocks a member, or changes the reason and the end of the block. The member's sessions end in the same transaction. A
 * concurrent sign-in may not see the block. Its session is never valid, because the database function
 * `is_void_by_block` voids everything from before the end of a block.
 *
 * @throws OWN_ACCOUNT, MEMBER_NOT_FOUND, VALIDATION_FAILED if the end is not in the future
 */
export async function blockMember(
  { db, audit, endEverySession }: Pick<Deps, 'db' | 'audit'> & { endEverySession: EndEverySession },
  by: AdminBy,
  memberId: string,
  { reason, until = null }: blocks.PutBlock,
): Promise<blocks.MemberBlock> {
  if (memberId === by.actor.id) throw new ApiError('OWN_ACCOUNT')
  return db.transaction(async (tx) => {
    const member = await lockBlockable(tx, memberId, until)
    if (!member) throw new ApiError('MEMBER_NOT_FOUND')
    if (!member.isToCome)
      throw invalid([{ path: '/until', message: 'must be in the future', code: 'IN_THE_PAST' }])
    const before = await lockBlock(tx, memberId)
    const block = await putBlock(tx, memberId, reason, until)
    // The block has the same reason and end already.
    if (!block) return toBlock(memberId, before as BlockRow)
    const ended = await endEverySession(tx, memberId, 'member_blocked')
    const { username } = member
    const end = until === null ? 'until it is removed' : `until ${block.until?.toISOString()}`
    await audit.record(tx, {
      ...by,
      actionType: 'member',
      action: 'member.block',
      severity: 'warning',
      target: { type: 'member', id: memberId, name: username },
      summary: before
        ? `The block of ${username} was changed. It now lasts ${end}.`
        : `${username} was blocked ${end}. Sessions that ended: ${ended}.`,
      changes: {
        reason: { before: before?.reason, after: reason },
        until: { before: before?.until, after: block.until },
      },
    })
    return toBlock(memberId, block)
  })
}

/**
 * Removes a block. Does nothing if the member is not blocked.
 *
 * @throws MEMBER_NOT_FOUND
 */
export async function unblockMember(
  { db, audit }: Pick<Deps, 'db' | 'audit'>,
  by: AdminBy,
  memberId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const member = await findBlocked(tx, memberId)
    if (!member) throw new ApiError('MEMBER_NOT_FOUND')
    const ended = await endBlock(tx, memberId)
    if (!ended) return
    const name = member.username ?? memberId
    await audit.record(tx, {
      ...by,
      actionType: 'member',
      action: 'member.unblock',
      target: { type: 'member', id: memberId, name },
      summary: `The block of ${name} was removed.`,
      changes: { reason: { before: ended.reason, after: null } },
    })
  })
}

const toBlock = (memberId: string, { reason, since, until }: BlockRow): blocks.MemberBlock => ({
  memberId,
  reason,
  since: since.toISOString(),
  until: until?.toISOString() ?? null,
})
