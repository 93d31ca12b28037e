import type { By } from '#audit/event'
import type { Tx } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { AdminBy } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'

/** The functions of other modules that erase a member from their tables. `app.ts` passes them. */
export interface Erasers {
  /** Finds the projects that have data about the member, and must be notified. */
  readonly findProjectsThatKnew: (tx: Tx, memberId: string) => Promise<readonly string[]>
  /** Writes the event `member.erased` for these projects. */
  readonly insertErased: (tx: Tx, memberId: string, projectIds: readonly string[]) => Promise<unknown>
  /** Ends and deletes all sessions of a member. */
  readonly eraseSessions: (tx: Tx, memberId: string) => Promise<unknown>
  /** Locks the member, so that no more sessions can be created. Returns undefined for an unknown member. */
  readonly lockMember: (tx: Tx, memberId: string) => Promise<{ readonly username: string } | undefined>
  /** Removes the member's name from notices. */
  readonly eraseName: (tx: Tx, username: string) => Promise<unknown>
  /** Permits changes to append-only tables for the rest of the transaction. */
  readonly allowErasure: (tx: Tx) => Promise<unknown>
  /** Each of these erases the member from the tables of one module. */
  readonly erasers: readonly ((tx: Tx, memberId: string) => Promise<unknown>)[]
  /**
   * Erases the member from the audit log, and records the erasure there. Call it last, because it makes all
   * transactions that write an audit entry wait.
   */
  readonly eraseFromAudit: (tx: Tx, by: By, memberId: string) => Promise<void>
}

/**
 * Erases all data about a member. A concurrent sign-in either commits first, so that its session is erased, too, or
 * finds no member.
 *
 * The sessions are deleted twice. The first time, locks are taken in the same order as by a sign-in, so that no
 * deadlock can occur. The second time, after the member was locked, no more sessions can be created.
 *
 * @throws OWN_ACCOUNT, MEMBER_NOT_FOUND
 */
export async function eraseMember(
  { db, ...needs }: Pick<Deps, 'db'> & Erasers,
  by: AdminBy,
  memberId: string,
): Promise<void> {
  if (memberId === by.actor.id) throw new ApiError('OWN_ACCOUNT')
  // The transaction has no timeout, because it reads the whole audit log, which may be long.
  const work = async (tx: Tx) => {
    const knew = await needs.findProjectsThatKnew(tx, memberId)
    await needs.eraseSessions(tx, memberId)
    const member = await needs.lockMember(tx, memberId)
    if (!member) throw new ApiError('MEMBER_NOT_FOUND')
    const knewMeanwhile = await needs.findProjectsThatKnew(tx, memberId)
    await needs.eraseSessions(tx, memberId)
    // In the event stream, `member.erased` must follow the events about the ended sessions.
    await needs.insertErased(tx, memberId, [...new Set([...knew, ...knewMeanwhile])])
    await needs.eraseName(tx, member.username)
    await needs.allowErasure(tx)
    for (const erase of needs.erasers) await erase(tx, memberId)
    await needs.eraseFromAudit(tx, by, memberId)
  }
  await db.transaction(work, { long: true })
}
