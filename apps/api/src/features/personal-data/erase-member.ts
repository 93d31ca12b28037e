import type { By } from '#audit/event'
import type { Tx } from '#platform/db/database'
import { ApiError } from '#platform/http/api-error'
import type { AdminBy } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'

/** The functions of the modules that own tables, for an erasure; `app.ts` passes them. */
export interface Erasers {
  /** Finds the projects that must be notified of the erasure. */
  readonly findProjectsThatKnew: (tx: Tx, memberId: string) => Promise<readonly string[]>
  readonly insertErased: (tx: Tx, memberId: string, projectIds: readonly string[]) => Promise<unknown>
  /** Ends and deletes all sessions of a member. */
  readonly eraseSessions: (tx: Tx, memberId: string) => Promise<unknown>
  readonly lockMember: (tx: Tx, memberId: string) => Promise<{ readonly username: string } | undefined>
  readonly eraseName: (tx: Tx, username: string) => Promise<unknown>
  /** Permits the erasure from append-only tables, for the rest of the transaction. */
  readonly allowErasure: (tx: Tx) => Promise<unknown>
  /** Each erases from the tables of its own module. */
  readonly erasers: readonly ((tx: Tx, memberId: string) => Promise<unknown>)[]
  /**
   * Erases from the audit log, and records the erasure there. Runs last, because all transactions that record an entry
   * wait for it.
   */
  readonly eraseFromAudit: (tx: Tx, by: By, memberId: string) => Promise<void>
}

/**
 * Erases a person. A concurrent sign-in either commits first, and its session is erased too, or finds no member.
 * Sessions are deleted twice: first in the lock order of a sign-in, so that no deadlock can occur, and again once no
 * more sessions can be created for the person.
 */
export async function eraseMember(
  { db, ...needs }: Pick<Deps, 'db'> & Erasers,
  by: AdminBy,
  memberId: string,
): Promise<void> {
  if (memberId === by.actor.id) throw new ApiError('OWN_ACCOUNT')
  // Without a time limit, because a long audit log is read completely.
  const work = async (tx: Tx) => {
    const knew = await needs.findProjectsThatKnew(tx, memberId)
    await needs.eraseSessions(tx, memberId)
    const member = await needs.lockMember(tx, memberId)
    if (!member) throw new ApiError('MEMBER_NOT_FOUND')
    const knewMeanwhile = await needs.findProjectsThatKnew(tx, memberId)
    await needs.eraseSessions(tx, memberId)
    // After the ends of the sessions, in the order of the stream.
    await needs.insertErased(tx, memberId, [...new Set([...knew, ...knewMeanwhile])])
    await needs.eraseName(tx, member.username)
    await needs.allowErasure(tx)
    for (const erase of needs.erasers) await erase(tx, memberId)
    await needs.eraseFromAudit(tx, by, memberId)
  }
  await db.transaction(work, { long: true })
}
